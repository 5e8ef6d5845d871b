import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const ImportJobPageSchema = defineEntity({
  name: 'ImportJobPage',
  tableName: 'import_job_page',
  properties: {
    uploadId: p.uuid().primary().comment(KEPT),
    uploadPage: p.integer().primary().comment(KEPT),
    jobId: p.uuid().comment(KEPT),
    body: p.blob().nullable().comment(PERSONAL),
    physicalLines: p.integer().comment(KEPT),
    lines: p.integer().comment(KEPT),
    number: p.integer().nullable().comment(KEPT),
    firstLine: p.integer().nullable().comment(KEPT),
    judgedLines: p.integer().comment(KEPT),
    isJudged: p.boolean().comment(KEPT),
    isDone: p.boolean().comment(KEPT),
    /** The next attempt at lines that wait for an outside party. */
    notBefore: p.datetime().nullable().comment(KEPT),
    uploadedAt: p.datetime().comment(KEPT),
  },
});

/** Lines of a job that are processed together. */
export class ImportJobPage extends ImportJobPageSchema.class {}
ImportJobPageSchema.setClass(ImportJobPage);

/** The table as Kysely knows it. */
export type ImportJobPageTable = InferKyselyDB<typeof ImportJobPageSchema>;
