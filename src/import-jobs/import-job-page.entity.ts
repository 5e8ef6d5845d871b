import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const ImportJobPageSchema = defineEntity({
  name: 'ImportJobPage',
  tableName: 'import_job_page',
  properties: {
    uploadId: p.uuid().primary(),
    uploadPage: p.integer().primary(),
    jobId: p.uuid(),
    body: p.blob().nullable(),
    physicalLines: p.integer(),
    lines: p.integer(),
    number: p.integer().nullable(),
    firstLine: p.integer().nullable(),
    judgedLines: p.integer(),
    isJudged: p.boolean(),
    isDone: p.boolean(),
    /** Lines of it wait for an outside party until then. */
    notBefore: p.datetime().nullable(),
    uploadedAt: p.datetime(),
  },
});

/** Lines of a job that are worked off together. */
export class ImportJobPage extends ImportJobPageSchema.class {}
ImportJobPageSchema.setClass(ImportJobPage);

/** The table as Kysely knows it. */
export type ImportJobPageTable = InferKyselyDB<typeof ImportJobPageSchema>;
