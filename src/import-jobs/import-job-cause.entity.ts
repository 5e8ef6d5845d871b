import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const ImportJobCauseSchema = defineEntity({
  name: 'ImportJobCause',
  tableName: 'import_job_cause',
  properties: {
    jobId: p.uuid().primary().comment(KEPT),
    code: p.text().primary().comment(KEPT),
    place: p.text().primary().comment(PERSONAL),
    isWarning: p.boolean().primary().comment(KEPT),
    records: p.integer().comment(KEPT),
    alone: p.integer().comment(KEPT),
    exampleLine: p.integer().comment(KEPT),
    exampleValue: p.text().nullable().comment(PERSONAL),
  },
});

/** A code at a place of the record, with the number of records that have it. */
export class ImportJobCause extends ImportJobCauseSchema.class {}
ImportJobCauseSchema.setClass(ImportJobCause);

/** The table as Kysely knows it. */
export type ImportJobCauseTable = InferKyselyDB<typeof ImportJobCauseSchema>;
