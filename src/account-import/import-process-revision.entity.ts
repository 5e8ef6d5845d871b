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

/** The hash of each revision of a staged account, with the payload of replaced ones. */
export class ImportProcessRevision extends ImportProcessRevisionSchema.class {}
ImportProcessRevisionSchema.setClass(ImportProcessRevision);
