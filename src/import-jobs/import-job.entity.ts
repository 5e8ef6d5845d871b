import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type {
  ImportJobGoal,
  ImportJobKind,
  ImportJobSelection,
  ImportJobStatus,
  PauseReason,
} from '../vocabulary/import-jobs.ts';
import type { ImportJobOptions } from './import-job.schema.ts';

const p = defineEntity.properties;

const ImportJobSchema = defineEntity({
  name: 'ImportJob',
  tableName: 'import_job',
  properties: {
    id: p.uuid().primary(),
    importSupplier: p.text(),
    organisation: p.text(),
    apiKeyId: p.uuid(),
    kind: p.text().$type<ImportJobKind>(),
    goal: p.text().$type<ImportJobGoal>(),
    selection: p.text().$type<ImportJobSelection>(),
    name: p.text().nullable(),
    operationsTeam: p.text().nullable(),
    options: p.json<ImportJobOptions>(),
    status: p.text().$type<ImportJobStatus>(),
    pausedBecause: p.text().$type<PauseReason>().nullable(),
    isCanaryPassed: p.boolean(),
    failuresAccepted: p.integer(),
    /** For a job of selection `staged`: all staged accounts are listed as its lines. */
    isListed: p.boolean(),
    accepted: p.integer(),
    judged: p.integer(),
    /** Valid lines that were passed to creation, with any outcome. */
    staged: p.integer(),
    succeeded: p.integer(),
    failed: p.integer(),
    warned: p.integer(),
    windowAt: p.datetime(),
    windowCount: p.integer(),
    earlierAt: p.datetime(),
    earlierCount: p.integer(),
    createdAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    pausedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    partsDeletedAt: p.datetime().nullable(),
    resultsDeletedAt: p.datetime().nullable(),
  },
});

/** An import job: records of one kind of one import supplier. */
export class ImportJob extends ImportJobSchema.class {}
ImportJobSchema.setClass(ImportJob);

/** The table as Kysely knows it. */
export type ImportJobTable = InferKyselyDB<typeof ImportJobSchema>;
