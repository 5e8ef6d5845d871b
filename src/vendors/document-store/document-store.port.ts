/** The location of a document. `supplier-options.rules.ts` builds it and keeps it under the supplier's root. */
export type DocumentLocation =
  | { kind: 's3'; bucket: string; key: string }
  | { kind: 'folder'; folder: string; path: string };

/** A store for one kind of location. gangway only checks whether documents exist; it never reads, writes or lists them. */
export interface DocumentStore<Kind extends DocumentLocation['kind'] = DocumentLocation['kind']> {
  /**
   * Returns whether the document exists.
   * @param signal aborts the call, which then throws as if the store were unreachable
   * @throws VendorUnavailable, VendorBusy or VendorMisconfigured (vocabulary/vendor-errors.ts)
   */
  exists(location: Extract<DocumentLocation, { kind: Kind }>, signal: AbortSignal): Promise<boolean>;
}

/** A store for each kind of location. */
export interface DocumentStores {
  s3: DocumentStore<'s3'>;
  folder: DocumentStore<'folder'>;
}
