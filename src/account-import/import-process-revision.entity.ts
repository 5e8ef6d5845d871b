import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ImportProcessRevisionSchema = defineEntity({
  name: 'ImportProcessRevision',
  tableName: 'import_process_revision',
  properties: {
    importProcessId: p.uuid().primary(),
    revision: p.integer().primary(),
    payloadHash: p.blob(),
    stagedAt: p.datetime(),
  },
});

/** What was staged when: the hash of each revision of a payload. */
export class ImportProcessRevision extends ImportProcessRevisionSchema.class {}
ImportProcessRevisionSchema.setClass(ImportProcessRevision);
