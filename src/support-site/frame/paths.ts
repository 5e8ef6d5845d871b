// Addresses that several pages link to.

export const AUDIT = '/audit';
export const CAUSES = '/causes';
export const CERTIFICATES = '/certificates';
export const EVENTS = '/events';
export const JOBS = '/jobs';
export const FIND = '/find';
export const PALETTE = `${FIND}/palette`;
export const FEED = `${EVENTS}/feed`;
export const MESSAGES = '/messages';
export const PARTIES = '/parties';
export const PERSONAL_DATA = '/personal-data';
export const SUPPLIERS = '/suppliers';
export const SUPPLY_POINTS = '/supply-points';
export const STUCK = '/stuck';
export const BULK_ACTIONS = '/bulk-actions';
export const WAVES = '/waves';
export const ACCOUNTS = '/accounts';
export const BUSINESSES = '/businesses';
/** The form that keeps the columns and rows per page of a list. */
export const LIST_VIEW = '/list-view';

/** A path with encoded segments at its end. */
function pathOf(start: string, ...segments: string[]): string {
  return [start, ...segments.map(encodeURIComponent)].join('/');
}

/** Path of the page where the held supply points of an account are decided. */
export const claimPath = (supplier: string, external: string): string => pathOf('/stuck/claims', supplier, external);

/** Path of the page of an account. */
export const accountPath = (supplier: string, external: string): string => pathOf('/accounts', supplier, external);

/** Path of the page of a stuck item, by its id in the list. */
export const stuckItemPath = (id: string): string => pathOf(`${STUCK}/items`, id);

/** Path of the page of a bulk action. */
export const bulkActionPath = (id: string): string => pathOf(BULK_ACTIONS, id);

/** Path of the page of a business, by its service number. */
export const businessPath = (number: string): string => pathOf('/businesses', number);

/** Path of the page of an import supplier, and of its settings. */
export const supplierPath = (supplier: string): string => pathOf(SUPPLIERS, supplier);
export const supplierSettingsPath = (supplier: string): string => pathOf('/settings/suppliers', supplier);

/** Path of the page of an outside party. */
export const partyPath = (party: string): string => pathOf(PARTIES, party);

/** Path of the page of an import job. */
export const withdrawalPath = (id: string): string => pathOf('/withdrawals', id);
export const jobPath = (id: string): string => pathOf(JOBS, id);

/** Path of the causes of all staged accounts of an import supplier. */
export const causesPath = (supplier: string): string => pathOf(CAUSES, supplier);

/** Path of the page of a wave. */
export const wavePath = (id: string): string => pathOf(WAVES, id);

/** Path of the page of a reconciliation. */
export const certificatePath = (id: string): string => pathOf(CERTIFICATES, id);

/** Path of the page of an endpoint that events are delivered to. */
export const endpointPath = (id: string): string => pathOf(`${EVENTS}/endpoints`, id);

/** Path of the page of a market message. */
export const messagePath = (id: string): string => pathOf(MESSAGES, id);

/** Path of the page of a receipt, by its entry in the audit. */
export const receiptPath = (id: string): string => pathOf(`${PERSONAL_DATA}/receipts`, id);

/** Path of the page of a batch. */
export const batchPath = (batchId: string): string => pathOf(`${SUPPLY_POINTS}/batches`, batchId);

/** Path of the speed of a network operator. */
export const throttlePath = (networkOperator: string): string => pathOf(`${SUPPLY_POINTS}/throttle`, networkOperator);

/** Path of the identifiers that a network operator fails on. */
export const deferredPath = (networkOperator: string): string => pathOf(`${SUPPLY_POINTS}/deferred`, networkOperator);

/** Path of the page of a supply point. */
export const pointPath = (networkOperator: string, identifier: string): string =>
  pathOf(`${SUPPLY_POINTS}/points`, networkOperator, identifier);

/** The page of personal data with the form filled in for an account. */
export function personPath(supplier: string, external: string): string {
  return addressOf(PERSONAL_DATA, { import_supplier: supplier, external_account_number: external });
}

/** A path with query parameters in this order, without the empty ones. */
export function addressOf(path: string, narrowed: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(narrowed).filter((one): one is [string, string] => Boolean(one[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
