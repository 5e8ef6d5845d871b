/** Path of the page of a supply point. It stands here because pages of accounts and of supply points lead to each other. */
export const pointPath = (networkOperator: string, identifier: string): string =>
  `/supply-points/points/${encodeURIComponent(networkOperator)}/${encodeURIComponent(identifier)}`;
