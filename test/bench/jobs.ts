import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import pMap from 'p-map';
import {
  checkAccountPayload,
  createFromStaged,
  findStagingWarnings,
  stageAccounts,
  stagedForm,
  type StagedAccount,
} from '../../src/account-import/index.ts';
import { readLine } from '../../src/import-jobs/read-line.validation.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase, type Database } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { creationContext } from '../../src/processes/creation-context.ts';
import { entities } from '../../src/processes/entities.ts';
import { createSupplierDirectory } from '../../src/suppliers/index.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { domesticAccount } from '../support/account-payload.ts';
import type { Load } from './load.ts';
import { median } from './measure.ts';
import { v7 as uuidv7 } from 'uuid';

/** The members of job responses that the bench reads. */
interface JobAnswer {
  job_id: string;
  status: string;
  counts: { succeeded: number; failed: number };
}

/** Accounts of one job. */
const LINES = Number(process.env['BENCH_LINES'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const PART_LINES = 10_000;
const PAGE_LINES = 250;
const CALLERS = 2;

export interface JobsBench {
  http: string;
  /** Connects as the owner of the database. */
  database: string;
  token: string;
  print(line?: string): void;
  /** Runs single creations for a few seconds over several connections. */
  createSingly(): Promise<Load>;
}

let sequence = 1_000_000;

/** Accounts of 4 KB with their own numbers and points, as lines of a job. */
export function nextLines(count: number): string[] {
  return Array.from({ length: count }, () => {
    sequence += 1;
    const external = `JOB-${String(sequence).padStart(8, '0')}`;
    return JSON.stringify({
      ...domesticAccount({ import_supplier: 'BENCH' }, sequence),
      external_account_number: external,
    });
  });
}

/**
 * Import jobs beside a loop that does the same checks and the same SQL in pages of the same size, without engine or
 * API.
 */
export async function benchJobs(bench: JobsBench): Promise<void> {
  const log = createLog({ level: 'silent', process: 'bench' });
  const database = await openDatabase({ url: bench.database, entities, poolSize: 4, log, applicationName: 'bench' });
  const rates = new Map<string, number[]>();
  const note = (name: string, seconds: number, lines = LINES) => {
    rates.set(name, [...(rates.get(name) ?? []), lines / seconds]);
  };
  const job = async (goal: string, lines?: readonly string[]) => {
    const { seconds, done } = await runJob(bench, goal, lines);
    note(goal, seconds, done);
  };
  await runJob(bench, 'CREATE', nextLines(2_000));
  for (let round = 0; round < ROUNDS; round += 1) {
    await job('STAGE', nextLines(LINES));
    const staged = nextLines(LINES);
    note('bare STAGE', await timed(() => bareStage(database, staged)));
    // The accounts that both have staged.
    await job('CREATE');
    const bare = nextLines(LINES);
    await bareStage(database, bare);
    note('bare CREATE', await timed(() => bareCreate(database, bare)));
    await job('REHEARSE', nextLines(LINES));
    const rehearsed = nextLines(LINES);
    note('bare REHEARSE', await timed(() => bareRehearse(database, rehearsed)));
  }
  await database.close();
  bench.print(`\nimport jobs of ${LINES} accounts of 4 KB (goals: 3,000, 1,000 and 800 a second; 0.7 of a bare loop)`);
  for (const goal of ['STAGE', 'CREATE', 'REHEARSE']) {
    const [ours, bare] = [median(rates.get(goal)!), median(rates.get(`bare ${goal}`)!)];
    bench.print(
      `  ${goal.padEnd(10)} ${ours.toFixed(0).padStart(6)}/s   bare loop ${bare.toFixed(0).padStart(6)}/s   gangway reaches ${(ours / bare).toFixed(2)} of it`,
    );
  }
  await benchBeside(bench);
}

/** Latency of single creations beside a job that validates, stages and creates. */
async function benchBeside(bench: JobsBench): Promise<void> {
  await bench.createSingly();
  const alone: Load[] = [];
  const loadsBesideJob: Load[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await bench.createSingly());
    const started = Promise.withResolvers<void>();
    let isDone = false;
    const job = runJob(bench, 'CREATE', nextLines(LINES), started.resolve).finally(() => {
      isDone = true;
    });
    await started.promise;
    while (!isDone) loadsBesideJob.push(await bench.createSingly());
    await job;
  }
  const formatted = (loads: readonly Load[]) =>
    `p50 ${median(loads.map(({ p50 }) => p50)).toFixed(1)} ms   p99 ${median(loads.map(({ p99 }) => p99)).toFixed(1)} ms`;
  const ratio = median(loadsBesideJob.map(({ p99 }) => p99)) / median(alone.map(({ p99 }) => p99));
  bench.print(
    '\nsingle creations beside a job of accounts, four concurrently (goal: p99 at most twice that without a job)',
  );
  bench.print(
    `  alone     ${formatted(alone)}\n  beside    ${formatted(loadsBesideJob)}   p99 ${ratio.toFixed(2)} times`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

/**
 * Sends a job as a supplier does and waits for its end.
 * @param lines if omitted, the job uses the staged accounts
 * @returns the seconds from its start, without the upload, and the lines that succeeded
 */
export async function runJob(
  { http, token }: Pick<JobsBench, 'http' | 'token'>,
  goal: string,
  lines?: readonly string[],
  onStarted: () => void = () => {},
  {
    supplier = 'BENCH',
    kind = 'accounts',
    waveId,
    manifest,
  }: { supplier?: string; kind?: string; waveId?: string; manifest?: object } = {},
): Promise<{ seconds: number; done: number }> {
  const call = async (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(`${http}/v1/data-import/import-jobs/${path}`, {
      method,
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: body as string }),
    });
    const answer = (await response.json()) as JobAnswer;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const { job_id: jobId } = await call(
    'POST',
    '',
    JSON.stringify({
      import_supplier: supplier,
      kind,
      goal,
      ...(waveId === undefined ? {} : { wave_id: waveId }),
      ...(manifest === undefined ? {} : { manifest }),
      ...(kind === 'accounts' ? { operations_team_name: 'Migration' } : {}),
      ...(lines === undefined ? { selection: 'staged' } : {}),
    }),
  );
  for (let from = 0; lines !== undefined && from < lines.length; from += PART_LINES) {
    const part = gzipSync(lines.slice(from, from + PART_LINES).join('\n'), { level: 1 });
    await call('PUT', `${jobId}/parts/${from / PART_LINES + 1}/`, part, {
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
  }
  const began = performance.now();
  await call('POST', `${jobId}/start/`);
  onStarted();
  for (;;) {
    const { status, counts } = await call('GET', `${jobId}/`);
    if (status === 'COMPLETED') {
      if (counts.failed !== 0) throw new Error(`${goal}: ${JSON.stringify(counts)}`);
      return { seconds: (performance.now() - began) / 1_000, done: counts.succeeded };
    }
    if (status === 'PAUSED') throw new Error(`${goal} is paused`);
    await sleep(100);
  }
}

function* pagesOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += PAGE_LINES) yield items.slice(from, from + PAGE_LINES);
}

async function checkPage(database: Database, lines: readonly string[]): Promise<StagedAccount[]> {
  const suppliers = createSupplierDirectory({ database });
  const caller = { importSuppliers: new Set(['BENCH']) } as never;
  const staged: StagedAccount[] = [];
  for (const line of lines) {
    const read = readLine(Buffer.from(line));
    if (isRefused(read)) throw new Error(read.code);
    const request = { body: read.body, isLarge: false, caller, yieldToEventLoop: async () => {} };
    const checked = await checkAccountPayload(request, { suppliers, clock: systemClock });
    if (isRefused(checked)) throw new Error(checked.code);
    staged.push(stagedForm(checked));
  }
  await findStagingWarnings(
    database,
    staged.map(({ account }) => account),
  );
  return staged;
}

async function bareStage(database: Database, lines: readonly string[]): Promise<void> {
  for (const page of pagesOf(lines)) {
    const staged = await checkPage(database, page);
    await database.transaction((em) => stageAccounts(em, 'BENCH', staged));
  }
}

const entriesOf = (externals: readonly string[]) =>
  externals.map((externalAccountNumber) => ({
    creationId: uuidv7(),
    importSupplier: 'BENCH',
    externalAccountNumber,
    operationsTeam: 'Migration',
  }));

function contextOf(database: Database) {
  const suppliers = createSupplierDirectory({ database });
  return creationContext({ suppliers, clock: systemClock, settings: readSettings({}) });
}

async function bareCreate(database: Database, lines: readonly string[]): Promise<void> {
  const externals = lines.map(
    (line) => (JSON.parse(line) as { external_account_number: string }).external_account_number,
  );
  const context = contextOf(database);
  await pMap(
    pagesOf(externals),
    (page) => database.transaction((em) => createFromStaged(em, entriesOf(page), context)),
    { concurrency: CALLERS },
  );
}

async function bareRehearse(database: Database, lines: readonly string[]): Promise<void> {
  const context = { ...contextOf(database), isRehearsal: true };
  for (const page of pagesOf(lines)) {
    const staged = await checkPage(database, page);
    await database.transaction(async (em) => {
      await stageAccounts(em, 'BENCH', staged);
      await createFromStaged(em, entriesOf(staged.map(({ externalAccountNumber }) => externalAccountNumber)), context);
      await em.rollback();
    });
  }
}
