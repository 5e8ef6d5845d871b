/** Where one document lies. The parts were joined by `document-root.rules.ts`, which keeps them under the supplier's root. */
export type DocumentLocation =
  | { kind: 's3'; bucket: string; key: string }
  | { kind: 'folder'; folder: string; path: string };

/** A store of one kind of location. gangway asks whether a document is there and never reads, writes or lists any. */
export interface DocumentStore<Kind extends DocumentLocation['kind'] = DocumentLocation['kind']> {
  /**
   * Returns whether the document exists.
   * @param signal ends the call; it then throws as if the store could not be reached
   * @throws VendorUnavailable, VendorBusy or VendorMisconfigured (vocabulary/vendor-errors.ts)
   */
  exists(location: Extract<DocumentLocation, { kind: Kind }>, signal: AbortSignal): Promise<boolean>;
}

/** A store for each kind of location. */
export interface DocumentStores {
  s3: DocumentStore<'s3'>;
  folder: DocumentStore<'folder'>;
}
