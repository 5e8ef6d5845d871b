import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const ImportProcessRevisionSchema = defineEntity({
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

/** What was staged when: the hash of each revision, and the payload of those that another content has replaced. */
export class ImportProcessRevision extends ImportProcessRevisionSchema.class {}
ImportProcessRevisionSchema.setClass(ImportProcessRevision);
