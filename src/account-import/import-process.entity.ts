import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

/** A staged account: its latest payload, unless retention has deleted it, and whether it was imported, skipped or refused. */
export const ImportProcess = defineEntity({
  name: 'ImportProcess',
  tableName: 'import_process',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    importSupplier: p.text().comment(KEPT),
    externalAccountNumber: p.text().comment(KEPT),
    payload: p.json<Record<string, unknown>>().nullable().comment(PERSONAL),
    phoneNumbers: p.json<unknown>().nullable().comment(PERSONAL),
    payloadHash: p.blob().comment(KEPT),
    validatedWith: p.text().comment(KEPT),
    revision: p.integer().comment(KEPT),
    stagedAt: p.datetime().comment(KEPT),
    updatedAt: p.datetime().comment(KEPT),
    importedAt: p.datetime().nullable().comment(KEPT),
    /** When its last account was withdrawn. */
    withdrawnAt: p.datetime().nullable().comment(KEPT),
    skippedAt: p.datetime().nullable().comment(KEPT),
    skipReason: p.text().nullable().comment(PERSONAL),
    refusal: p.json<Record<string, unknown>>().nullable().comment(PERSONAL),
    documentRoot: p.text().nullable().comment(KEPT),
    workflowId: p.text().nullable().comment(KEPT),
    payloadDeletedAt: p.datetime().nullable().comment(PERSONAL),
    /** Hashes of the fields of the deleted payload, and the layout of the hashes. */
    fieldHashes: p.blob().nullable().comment(PERSONAL),
    fieldHashLayoutId: p.integer().nullable().comment(KEPT),
    /** Whether the staging statement counted this account; otherwise a trigger does (docs/decisions/0048-counts-by-appending.md). */
    counted: p.boolean().comment(KEPT),
  },
});
export type ImportProcess = InferEntity<typeof ImportProcess>;

export type ImportProcessTable = InferKyselyDB<typeof ImportProcess>;

/** Hash of each revision of a staged account, with the payload of replaced revisions. */
export const ImportProcessRevision = defineEntity({
  name: 'ImportProcessRevision',
  tableName: 'import_process_revision',
  properties: {
    importProcessId: p.uuid().primary().comment(KEPT),
    revision: p.integer().primary().comment(KEPT),
    payloadHash: p.blob().comment(KEPT),
    payload: p.json().nullable().comment(PERSONAL),
    stagedAt: p.datetime().comment(KEPT),
  },
});
