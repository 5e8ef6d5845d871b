// Addresses that pages of several parts lead to.

/** Path of the page where the held supply points of an account are decided. */
export function claimPath(supplier: string, external: string): string {
  return `/stuck/claims/${encodeURIComponent(supplier)}/${encodeURIComponent(external)}`;
}

/** Path of the page of an account. */
export function accountPath(supplier: string, external: string): string {
  return `/accounts/${encodeURIComponent(supplier)}/${encodeURIComponent(external)}`;
}

/** Where the list of reconciliations stands. */
export const CERTIFICATES = '/certificates';

/** Path of the page of a reconciliation. */
export function certificatePath(id: string): string {
  return `${CERTIFICATES}/${encodeURIComponent(id)}`;
}

/** Where the pages of events stand. */
export const EVENTS = '/events';
export const FEED = `${EVENTS}/feed`;

/** Path of the page of an endpoint that events are delivered to. */
export function endpointPath(id: string): string {
  return `${EVENTS}/endpoints/${encodeURIComponent(id)}`;
}

/** Where the pages of personal data stand. */
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
