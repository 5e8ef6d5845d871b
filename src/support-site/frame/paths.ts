// Addresses that several pages link to.

/** Path of the page where the held supply points of an account are decided. */
export function claimPath(supplier: string, external: string): string {
  return `/stuck/claims/${encodeURIComponent(supplier)}/${encodeURIComponent(external)}`;
}

/** Path of the page of an account. */
export function accountPath(supplier: string, external: string): string {
  return `/accounts/${encodeURIComponent(supplier)}/${encodeURIComponent(external)}`;
}

export const CERTIFICATES = '/certificates';

/** Path of the page of a reconciliation. */
export function certificatePath(id: string): string {
  return `${CERTIFICATES}/${encodeURIComponent(id)}`;
}

export const EVENTS = '/events';
export const FEED = `${EVENTS}/feed`;

/** Path of the page of an endpoint that events are delivered to. */
export function endpointPath(id: string): string {
  return `${EVENTS}/endpoints/${encodeURIComponent(id)}`;
}

export const PERSONAL_DATA = '/personal-data';

/** Path of the page of a receipt, by its entry in the audit. */
export function receiptPath(id: string): string {
  return `${PERSONAL_DATA}/receipts/${encodeURIComponent(id)}`;
}

/** The page of personal data with the form filled in for an account. */
export function personPath(supplier: string, external: string): string {
  const account = { import_supplier: supplier, external_account_number: external };
  return `${PERSONAL_DATA}?${new URLSearchParams(account).toString()}`;
}

/** A path with query parameters in this order, without the empty ones. */
export function addressOf(path: string, narrowed: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(narrowed).filter((one): one is [string, string] => Boolean(one[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

export const SUPPLY_POINTS = '/supply-points';

/** Path of the page of a batch. */
export const batchPath = (batchId: string): string => `${SUPPLY_POINTS}/batches/${encodeURIComponent(batchId)}`;

/** Path of the speed of a network operator. */
export const throttlePath = (networkOperator: string): string =>
  `${SUPPLY_POINTS}/throttle/${encodeURIComponent(networkOperator)}`;

/** Path of the identifiers that a network operator fails on. */
export const deferredPath = (networkOperator: string): string =>
  `${SUPPLY_POINTS}/deferred/${encodeURIComponent(networkOperator)}`;

/** Path of the page of a supply point. */
export const pointPath = (networkOperator: string, identifier: string): string =>
  `${SUPPLY_POINTS}/points/${encodeURIComponent(networkOperator)}/${encodeURIComponent(identifier)}`;
