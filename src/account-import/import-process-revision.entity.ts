import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ImportProcessRevisionSchema = defineEntity({
  name: 'ImportProcessRevision',
  tableName: 'import_process_revision',
  properties: {
    importProcessId: p.uuid().name('import_process_id').primary(),
    revision: p.integer().name('revision').primary(),
    payloadHash: p.blob().name('payload_hash'),
    stagedAt: p.datetime().name('staged_at'),
  },
});

/** What was staged when: the hash of each revision of a payload. */
export class ImportProcessRevision extends ImportProcessRevisionSchema.class {}
ImportProcessRevisionSchema.setClass(ImportProcessRevision);
