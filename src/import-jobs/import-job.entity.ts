import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { Selectable } from 'kysely';
import type {
  ImportJobGoal,
  ImportJobKind,
  ImportJobSelection,
  ImportJobStatus,
  LineState,
  PauseReason,
} from '../vocabulary/import-jobs.ts';
import type { ImportJobOptions } from './import-job.schema.ts';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

/** An import job: records of one kind of one import supplier. */
export const ImportJob = defineEntity({
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
    /** The wave that its accounts join, or that it rehearses or creates. */
    waveId: p.uuid().nullable(),
    name: p.text().nullable(),
    operationsTeam: p.text().nullable(),
    options: p.json<ImportJobOptions>(),
    status: p.text().$type<ImportJobStatus>(),
    pausedBecause: p.text().$type<PauseReason>().nullable(),
    isCanaryPassed: p.boolean().default(false),
    failuresAccepted: p.integer().default(0),
    /** Whether all staged accounts are listed as lines; used by jobs of selection `staged`. */
    isListed: p.boolean().default(false),
    /** Whether the totals of its records are counted, to compare them with a manifest. */
    countsTotals: p.boolean().default(false),
    accepted: p.integer().default(0),
    judged: p.integer().default(0),
    /** Valid lines that were passed to creation, with any outcome. */
    staged: p.integer().default(0),
    succeeded: p.integer().default(0),
    failed: p.integer().default(0),
    warned: p.integer().default(0),
    windowAt: p.datetime().defaultRaw('now()'),
    windowCount: p.integer().default(0),
    earlierAt: p.datetime().defaultRaw('now()'),
    earlierCount: p.integer().default(0),
    createdAt: p.datetime().defaultRaw('now()'),
    startedAt: p.datetime().nullable(),
    pausedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    partsDeletedAt: p.datetime().nullable(),
    resultsDeletedAt: p.datetime().nullable(),
  },
});

/** The accepted upload of a part number. */
export const ImportJobPart = defineEntity({
  name: 'ImportJobPart',
  tableName: 'import_job_part',
  properties: {
    jobId: p.uuid().primary(),
    part: p.integer().primary(),
    uploadId: p.uuid(),
    lines: p.integer(),
    bytes: p.bigint('number'),
    /** The compressed size. */
    storedBytes: p.bigint('number').default(0),
    sha256: p.text(),
    uploadedAt: p.datetime().defaultRaw('now()'),
  },
});
export type ImportJobPart = InferEntity<typeof ImportJobPart>;

/** Lines of a job that are processed together. */
export const ImportJobPage = defineEntity({
  name: 'ImportJobPage',
  tableName: 'import_job_page',
  properties: {
    uploadId: p.uuid().primary().comment(KEPT),
    uploadPage: p.integer().primary().comment(KEPT),
    jobId: p.uuid().comment(KEPT),
    body: p.blob().$type<Buffer>().nullable().comment(PERSONAL),
    physicalLines: p.integer().comment(KEPT),
    lines: p.integer().comment(KEPT),
    number: p.integer().nullable().comment(KEPT),
    firstLine: p.integer().nullable().comment(KEPT),
    judgedLines: p.integer().default(0).comment(KEPT),
    isJudged: p.boolean().default(false).comment(KEPT),
    isDone: p.boolean().default(false).comment(KEPT),
    /** Time of the next attempt at lines that wait for an outside party. */
    notBefore: p.datetime().nullable().comment(KEPT),
    uploadedAt: p.datetime().defaultRaw('now()').comment(KEPT),
  },
});
export type ImportJobPage = InferEntity<typeof ImportJobPage>;

/** The stored result of a validated line. */
export const ImportJobLine = defineEntity({
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

/** A code at a place of the record, with the number of records that have it. */
export const ImportJobCause = defineEntity({
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

type Schemas =
  | typeof ImportJob
  | typeof ImportJobPart
  | typeof ImportJobPage
  | typeof ImportJobLine
  | typeof ImportJobCause;

/** The tables of import jobs, with the names of properties (`propertiesOf`) or of columns (`kyselyOf`). */
export type ImportJobTables = InferKyselyDB<Schemas, { columnNamingStrategy: 'property' }>;
export type ImportJobColumns = InferKyselyDB<Schemas>;

/** A job with its counts, as it is stored. */
export type ImportJobRecord = Selectable<ImportJobTables['import_job']> & {
  /** The recent rate. */
  linesPerSecond: number;
};
