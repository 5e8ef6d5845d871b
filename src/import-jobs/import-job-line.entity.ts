import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { LineState } from '../vocabulary/import-jobs.ts';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const ImportJobLineSchema = defineEntity({
  name: 'ImportJobLine',
  tableName: 'import_job_line',
  properties: {
    jobId: p.uuid().primary().comment(KEPT),
    line: p.integer().primary().comment(KEPT),
    key: p.text().nullable().comment(KEPT),
    claimsKey: p.boolean().comment(KEPT),
    state: p.text().$type<LineState>().comment(KEPT),
    number: p.text().nullable().comment(KEPT),
    errors: p.json<unknown[]>().nullable().comment(PERSONAL),
    warnings: p.json<unknown[]>().nullable().comment(PERSONAL),
    /** The number of errors beyond those that are stored. */
    errorsOmitted: p.integer().nullable().comment(KEPT),
    warningsOmitted: p.integer().nullable().comment(KEPT),
    revision: p.integer().nullable().comment(KEPT),
  },
});

/** The stored result of a validated line. */
export class ImportJobLine extends ImportJobLineSchema.class {}
ImportJobLineSchema.setClass(ImportJobLine);

/** The table as Kysely knows it. */
export type ImportJobLineTable = InferKyselyDB<typeof ImportJobLineSchema>;
