/** Where the supply points stand. */
export const SUPPLY_POINTS = '/supply-points';

/** Path of the page of a batch. */
export const batchPath = (batchId: string): string => `${SUPPLY_POINTS}/batches/${encodeURIComponent(batchId)}`;

/** Path of the speed of a network operator. */
export const throttlePath = (networkOperator: string): string =>
  `${SUPPLY_POINTS}/throttle/${encodeURIComponent(networkOperator)}`;

/** Path of what a network operator has failed on. */
export const deferredPath = (networkOperator: string): string =>
  `${SUPPLY_POINTS}/deferred/${encodeURIComponent(networkOperator)}`;

/** Path of the page of a supply point. */
export const pointPath = (networkOperator: string, identifier: string): string =>
  `${SUPPLY_POINTS}/points/${encodeURIComponent(networkOperator)}/${encodeURIComponent(identifier)}`;
