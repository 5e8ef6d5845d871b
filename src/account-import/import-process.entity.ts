import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const ImportProcessSchema = defineEntity({
  name: 'ImportProcess',
  tableName: 'import_process',
  properties: {
    id: p.uuid().primary(),
    importSupplier: p.text(),
    externalAccountNumber: p.text(),
    payload: p.json<Record<string, unknown>>().nullable(),
    phoneNumbers: p.json<unknown>().nullable(),
    payloadHash: p.blob(),
    validatedWith: p.text(),
    revision: p.integer(),
    stagedAt: p.datetime(),
    updatedAt: p.datetime(),
    importedAt: p.datetime().nullable(),
    skippedAt: p.datetime().nullable(),
    skipReason: p.text().nullable(),
    refusal: p.json<Record<string, unknown>>().nullable(),
    documentRoot: p.text().nullable(),
    workflowId: p.text().nullable(),
    payloadDeletedAt: p.datetime().nullable(),
    /** Of the payload that was deleted, and the layout in which they are written. */
    fieldHashes: p.blob().nullable(),
    fieldHashLayoutId: p.integer().nullable(),
    /** The statement that staged it has counted it; of others a trigger does (docs/decisions/0048-counts-by-appending.md). */
    counted: p.boolean(),
  },
});

/** A staged account: its latest payload, unless retention has deleted it, and whether it was imported, skipped or refused. */
export class ImportProcess extends ImportProcessSchema.class {}
ImportProcessSchema.setClass(ImportProcess);

/** The table as Kysely knows it. */
export type ImportProcessTable = InferKyselyDB<typeof ImportProcessSchema>;
