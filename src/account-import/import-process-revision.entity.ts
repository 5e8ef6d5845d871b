import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ImportProcessRevisionSchema = defineEntity({
  name: 'ImportProcessRevision',
  tableName: 'import_process_revision',
  properties: {
    importProcessId: p.uuid().primary(),
    revision: p.integer().primary(),
    payloadHash: p.blob(),
    payload: p.json().nullable(),
    stagedAt: p.datetime(),
  },
});

/** What was staged when: the hash of each revision, and the payload of those that another content has replaced. */
export class ImportProcessRevision extends ImportProcessRevisionSchema.class {}
ImportProcessRevisionSchema.setClass(ImportProcessRevision);
