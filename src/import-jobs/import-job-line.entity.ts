import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { LineState } from '../vocabulary/import-jobs.ts';

const p = defineEntity.properties;

const ImportJobLineSchema = defineEntity({
  name: 'ImportJobLine',
  tableName: 'import_job_line',
  properties: {
    jobId: p.uuid().primary(),
    line: p.integer().primary(),
    key: p.text().nullable(),
    claimsKey: p.boolean(),
    state: p.text().$type<LineState>(),
    number: p.text().nullable(),
    errors: p.json<unknown[]>().nullable(),
    warnings: p.json<unknown[]>().nullable(),
    /** Beyond those that are stored. */
    errorsOmitted: p.integer().nullable(),
    warningsOmitted: p.integer().nullable(),
    revision: p.integer().nullable(),
  },
});

/** What became of one line that was judged. */
export class ImportJobLine extends ImportJobLineSchema.class {}
ImportJobLineSchema.setClass(ImportJobLine);

/** The table as Kysely knows it. */
export type ImportJobLineTable = InferKyselyDB<typeof ImportJobLineSchema>;
