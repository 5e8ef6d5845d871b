import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ImportProcessSchema = defineEntity({
  name: 'ImportProcess',
  tableName: 'import_process',
  properties: {
    id: p.uuid().name('id').primary(),
    importSupplier: p.text().name('import_supplier'),
    externalAccountNumber: p.text().name('external_account_number'),
    payload: p.json<Record<string, unknown>>().name('payload'),
    phoneNumbers: p.json<unknown>().name('phone_numbers'),
    payloadHash: p.blob().name('payload_hash'),
    validatedWith: p.text().name('validated_with'),
    revision: p.integer().name('revision'),
    stagedAt: p.datetime().name('staged_at'),
    updatedAt: p.datetime().name('updated_at'),
    importedAt: p.datetime().name('imported_at').nullable(),
    skippedAt: p.datetime().name('skipped_at').nullable(),
    skipReason: p.text().name('skip_reason').nullable(),
    refusal: p.json<Record<string, unknown>>().name('refusal').nullable(),
    documentRoot: p.text().name('document_root').nullable(),
    workflowId: p.text().name('workflow_id').nullable(),
  },
});

/** A staged account: its latest payload, and whether it was imported, skipped or refused. */
export class ImportProcess extends ImportProcessSchema.class {}
ImportProcessSchema.setClass(ImportProcess);
