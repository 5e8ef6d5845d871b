import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const ImportJobCauseSchema = defineEntity({
  name: 'ImportJobCause',
  tableName: 'import_job_cause',
  properties: {
    jobId: p.uuid().primary(),
    code: p.text().primary(),
    place: p.text().primary(),
    isWarning: p.boolean().primary(),
    records: p.integer(),
    alone: p.integer(),
    exampleLine: p.integer(),
    exampleValue: p.text().nullable(),
  },
});

/** A fault or warning at a place, and the records that it stands in. */
export class ImportJobCause extends ImportJobCauseSchema.class {}
ImportJobCauseSchema.setClass(ImportJobCause);

/** The table as Kysely knows it. */
export type ImportJobCauseTable = InferKyselyDB<typeof ImportJobCauseSchema>;
