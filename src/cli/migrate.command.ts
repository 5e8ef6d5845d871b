import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { withExamples, withOutput } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { AccessOptions, Connection, Surroundings } from './connection.ts';
import { jobsPath } from './import-job-view.ts';
import { countIn, failuresIn, TEAM } from './import-options.ts';
import { hasChanged } from './import-state.ts';
import { runInterruptibly } from './interrupt.ts';
import { LiveList } from './live-list.ts';
import { findMigrationFiles, type MigrationFile, isOfOtherContent } from './migration-files.ts';
import { counted, printAnswer, printLine } from './output.ts';
import { readManifest } from './sent-manifest.ts';
import { showCauses } from './show-wave.ts';
import { openInput } from './split-parts.ts';
import { uploadParts } from './upload-parts.ts';
import { findOrOpenWave, holdIn, type WaveRequest } from './wave-opening.ts';
import {
  decisionOf,
  jobToCompare,
  reconciliationOf,
  textOf,
  type Decision,
  hasWaveEnded,
  isAtWork,
  isGatePassed,
} from './wave-decision.ts';
import { linesOfWave, pathOfWave, PRINTED_WAVE, readWave, type WaveJob, type WaveView } from './wave-view.ts';
import { readJob } from './watch-import-job.ts';
import { kindsBeforeCreation } from '../vocabulary/import-jobs.ts';

const WATCH_MS = 1_000;
const JOBS = jobsPath({ isOperator: false });

const ABOUT = `
The folder contains NDJSON files, plain or compressed (.gz, .zst): businesses, business-contracts, accounts, notes, transactions, statements and
payment-instructions, for example accounts.ndjson.gz. Each line is the request body of one record, as in the API. Missing and empty files are skipped.

The command opens the wave, imports businesses and contracts, stages and rehearses the accounts, creates them, imports the rest and compares what is
stored with what was sent. It stops where a person has to decide: faulty accounts, an approval, the result of a canary. Run it again to continue.
All state is kept by the service: if the command is interrupted or killed, run it again. A corrected file is imported as another job.
Ctrl-C leaves running jobs running.

Exit status: 0 created, attached and compared; 1 the wave was canceled, or a call was refused; 2 usage error; 3 service unreachable;
4 the wave waits for you; 130 interrupted.`;

interface MigrateOptions extends AccessOptions {
  supplier: string;
  wave: string;
  team?: string;
  createFrom?: string;
  createUntil?: string;
  supplyStartFrom?: string;
  supplyStartTo?: string;
  expectedAccounts?: number;
  canary?: number;
  stopAfterFailures?: { count: number } | { percent: number };
  maxPerSecond?: number;
  holdSwitchesHours?: number;
  requiresApproval?: true;
  manifest?: string;
  json?: true;
}

/** A migration, and how far it is. */
interface Migration {
  connection: Connection;
  files: readonly MigrationFile[];
  options: MigrateOptions;
  list: LiveList;
  waveId: string;
  hasRehearsed: boolean;
}

/** `migrate`: imports the files of a folder as a wave, from the first upload to the comparison. */
export function migrateCommand(surroundings: Surroundings): Command {
  const command = new Command('migrate')
    .argument('<folder>', 'folder with the files')
    .description('Migrate a folder of files as a wave, or resume it; needs the API key of a supplier.')
    .requiredOption('--supplier <code>', 'import supplier')
    .requiredOption('--wave <name>', 'name of the wave; a wave with this name is resumed')
    .option('--team <name>', `operations team of the accounts (${TEAM})`)
    .option('--create-from <time>', 'create the accounts from this time, such as 2026-12-12T22:00:00+01:00')
    .option('--create-until <time>', 'pause the creation at this time')
    .option('--supply-start-from <day>', 'first day of supply that is planned')
    .option('--supply-start-to <day>', 'last day of supply that is planned')
    .option(
      '--expected-accounts <number>',
      'accounts that the source delivers; the wave waits for all of them',
      countIn,
    )
    .option('--canary <accounts>', 'create this number of accounts, then wait for `waves resume`', countIn)
    .option(
      '--stop-after-failures <number>',
      'pause the creation after this number or percentage: 500 or 2%',
      failuresIn,
    )
    .option('--max-per-second <accounts>', 'maximum accounts created per second', countIn)
    .option('--hold-switches-hours <hours>', 'hours from the creation to the first switch (24)', holdIn)
    .option('--requires-approval', 'create only after a second person approved it')
    .option('--manifest <file>', 'totals of the source: no account is created unless the records agree with them')
    .option('--json', 'print the wave as one JSON line at the end')
    .addHelpText('after', ABOUT)
    .action((folder: string, options: MigrateOptions) => migrateFolder(surroundings, folder, options));
  for (const option of surroundings.options) command.addOption(option);
  return withExamples(withOutput(command, PRINTED_WAVE), surroundings.program, [
    'migrate brittany-3/ --supplier ACME --wave "Brittany 3"',
    'migrate brittany-3/ --supplier ACME --wave "Brittany 3" --canary 100 --stop-after-failures 1%',
    'migrate brittany-3/ --supplier ACME --wave "Brittany 3" --manifest manifest.json',
    'migrate brittany-3/ --supplier ACME --wave "Brittany 3" --create-from 2026-12-12T22:00:00+01:00 --create-until 2026-12-13T06:00:00+01:00',
  ]);
}

async function migrateFolder(surroundings: Surroundings, folder: string, options: MigrateOptions): Promise<void> {
  const list = new LiveList(options);
  const reading = list.progressLine('files');
  const files = await findMigrationFiles(folder, (name) => reading.show(`Reading ${name}`));
  reading.keep();
  const connection = await surroundings.connect(options, false);
  if (connection.isOperator) {
    throw new CommandError('Operators cannot migrate. Use the API key of a supplier.', exitStatuses.usage);
  }
  const manifest = options.manifest === undefined ? undefined : readManifest(options.manifest);
  const { wave_id: waveId } = await findOrOpenWave(connection, requestOf(options));
  // Without effect if the wave has this manifest.
  if (manifest !== undefined) await connection.call('PUT', pathOfWave(connection, waveId, 'manifest'), manifest);
  const migration: Migration = { connection, files, options, list, waveId, hasRehearsed: false };
  await runInterruptibly(
    () => migrate(migration),
    () => `Wave ${waveId} is kept, and its jobs continue. Run the same command again to resume.`,
  );
}

/** The body that opens the wave; JSON omits members that are undefined. */
function requestOf(options: MigrateOptions): WaveRequest {
  return {
    import_supplier: options.supplier,
    name: options.wave,
    operations_team_name: options.team,
    plan: {
      create_from: options.createFrom,
      create_until: options.createUntil,
      supply_start_from: options.supplyStartFrom,
      supply_start_to: options.supplyStartTo,
      expected_accounts: options.expectedAccounts,
    },
    options: {
      canary: options.canary,
      stop_after_failures: options.stopAfterFailures,
      max_per_second: options.maxPerSecond,
      hold_switches_hours: options.holdSwitchesHours,
      requires_approval: options.requiresApproval,
    },
  };
}

async function migrate(migration: Migration): Promise<void> {
  const { connection, files, list, waveId } = migration;
  for (;;) {
    const wave = await readWave(connection, waveId);
    list.show(linesOfWave(wave));
    const step = nextStep(wave, files, migration.hasRehearsed);
    if (step.do === 'stop') return stop(migration, wave, step.decision);
    if (step.do === 'end') return end(migration, wave);
    if (step.do === 'wait') await sleep(WATCH_MS);
    else await take(migration, wave, step);
  }
}

type Action = Exclude<MigrationStep, { do: 'stop' } | { do: 'end' }>;

async function take(migration: Migration, wave: WaveView, step: Action): Promise<void> {
  const { connection, waveId } = migration;
  switch (step.do) {
    case 'upload':
      return uploadFile(migration, wave, step.file, step.job);
    case 'discard':
      await connection.call('POST', `${JOBS}${encodeURIComponent(step.job.job_id)}/cancel/`);
      break;
    case 'rehearse':
      migration.hasRehearsed = true;
      await connection.call('POST', pathOfWave(connection, waveId, 'rehearse'));
      break;
    case 'create':
      await connection.call('POST', pathOfWave(connection, waveId, 'create'));
      break;
    case 'compare':
      await connection.call('POST', '/v1/data-import/reconciliations/', { job_id: jobToCompare(wave) });
      break;
    case 'wait':
      await sleep(WATCH_MS);
  }
}

/** Uploads what the job of a file does not have yet, and starts the job. */
async function uploadFile(
  { connection, list }: Migration,
  wave: WaveView,
  file: MigrationFile,
  known: WaveJob | undefined,
): Promise<void> {
  const jobId = known?.job_id ?? (await openJob(connection, wave, file));
  const job = await readJob(connection, jobId);
  if (job.status !== 'OPEN') return;
  await uploadParts(connection, await openInput(file.path), async () => job, list.progressLine(file.jobName));
  if (hasChanged(file.path, file.form)) {
    throw new CommandError(
      `${file.path} has changed while it was uploaded, so its job was not started. Run the command again when the file no longer changes.`,
      exitStatuses.usage,
    );
  }
  await connection.call('POST', `${JOBS}${encodeURIComponent(jobId)}/start/`);
}

/** Opens the job of a file once, also if the command is killed before it receives the response. */
async function openJob(
  connection: Connection,
  wave: WaveView,
  { kind, goal, jobName }: MigrationFile,
): Promise<string> {
  const earlier = wave.jobs.filter((job) => job.kind === kind && job.name === jobName).length;
  const body = { import_supplier: wave.import_supplier, kind, goal, name: jobName, wave_id: wave.wave_id };
  const key = `migrate/${wave.wave_id}/${jobName.replace(' ', '/')}/${earlier}`;
  return (await connection.call<{ job_id: string }>('POST', JOBS, body, key)).job_id;
}

/** Ends the command where a person has to decide. */
function stop({ connection, list, options }: Migration, wave: WaveView, decision: Decision): void {
  list.keep();
  printAnswer(wave, options.json, () => showCauses(wave));
  throw new CommandError(
    `${textOf(decision, connection.program)}\nThen run the same command again to continue.`,
    exitStatuses.waits,
  );
}

interface Comparison {
  counts: { accounts: number; different: number; values: number };
}

/** Ends the command after the comparison. */
async function end({ connection, list, options }: Migration, wave: WaveView): Promise<void> {
  list.keep();
  if (wave.status !== 'CREATED' && wave.status !== 'SIGNED_OFF') {
    throw new CommandError(`The wave is ${wave.status}. Name another wave to migrate the files.`);
  }
  const id = reconciliationOf(wave);
  const comparison = id && (await connection.call<Comparison>('GET', `/v1/data-import/reconciliations/${id}/`));
  printAnswer(wave, options.json, () => {
    const { wave_id: waveId, counts } = wave;
    const { program } = connection;
    printLine(`\n${counted(counts.created, 'account')} created, ${counts.excluded} excluded.`);
    if (comparison) {
      const { accounts, different, values } = comparison.counts;
      const creations = wave.jobs.filter(({ goal, succeeded }) => goal === 'CREATE' && succeeded > 0).length;
      const which = creations > 1 ? `The last of ${creations} creations: ` : '';
      printLine(
        `${which}${counted(accounts, 'account')} with ${counted(values, 'value')} compared, ${different} differ.`,
      );
      printLine(`  ${program} reconcile certificate ${id} --output certificate.json`);
    }
    printLine(`  ${program} waves numbers ${waveId} --output numbers.ndjson`);
    const decision = decisionOf(wave);
    if (decision !== undefined) printLine(textOf(decision, program));
  });
}

/** What a migration does next. */
type MigrationStep =
  | { do: 'upload'; file: MigrationFile; job: WaveJob | undefined }
  /** Cancels an upload that was not started: its file has changed since. */
  | { do: 'discard'; job: WaveJob }
  | { do: 'rehearse' | 'create' | 'compare' | 'wait' }
  | { do: 'stop'; decision: Decision }
  | { do: 'end' };

const WAIT: MigrationStep = { do: 'wait' };
/** Statuses of jobs whose file is imported again. */
const GIVEN_UP: ReadonlySet<string> = new Set(['CANCELLED', 'EXPIRED']);

/**
 * Decides what a migration does next, from the state of its wave alone, so that it can be resumed at any moment.
 * @param hasRehearsed whether the command has rehearsed the wave since its files were uploaded: then a gate that is not passed needs a person
 */
function nextStep(wave: WaveView, files: readonly MigrationFile[], hasRehearsed: boolean): MigrationStep {
  if (hasWaveEnded(wave)) return { do: 'end' };
  if (wave.status !== 'PREPARING' && wave.status !== 'CREATED') return stopOrWait(wave);
  const before = files.filter(({ kind }) => kindsBeforeCreation.includes(kind));
  const after = files.filter(({ kind }) => !kindsBeforeCreation.includes(kind));
  return stepBefore(wave, before) ?? stepOfCreation(wave, hasRehearsed) ?? stepAfter(wave, after);
}

/** Businesses, contracts and accounts: each file after the one before it, because later records refer to earlier ones. */
function stepBefore(wave: WaveView, files: readonly MigrationFile[]): MigrationStep | undefined {
  for (const file of files) {
    const step = stepOfFile(wave, file);
    if (step !== undefined) return step;
    if (jobOf(wave, file)?.status !== 'COMPLETED') return stopOrWait(wave);
  }
  return isGatePassed(wave, 'complete') ? undefined : stopOrWait(wave);
}

/** An upload that is to be opened, continued or discarded. */
function stepOfFile(wave: WaveView, file: MigrationFile): MigrationStep | undefined {
  const job = jobOf(wave, file);
  const outdated = wave.jobs.find(
    (one) => one !== job && one.status === 'OPEN' && (one.name === file.jobName || isOfOtherContent(file, one)),
  );
  if (outdated !== undefined) return { do: 'discard', job: outdated };
  return job === undefined || job.status === 'OPEN' ? { do: 'upload', file, job } : undefined;
}

/** The newest job of a file that is not given up. */
function jobOf({ jobs }: Pick<WaveView, 'jobs'>, { kind, jobName }: MigrationFile): WaveJob | undefined {
  return jobs.find((job) => job.kind === kind && job.name === jobName && !GIVEN_UP.has(job.status));
}

function stepOfCreation(wave: WaveView, hasRehearsed: boolean): MigrationStep | undefined {
  const { pending, created } = wave.counts;
  const isBusy = wave.jobs.some((job) => job.kind === 'accounts' && (isAtWork(job) || job.status === 'PAUSED'));
  if (isBusy) return stopOrWait(wave);
  // Before the faults of the uploads are corrected, so that those of the rehearsal are known, too.
  const mustRehearse = pending > 0 && !isGatePassed(wave, 'rehearsed');
  if (mustRehearse && !hasRehearsed && canRehearsalHelp(wave)) return { do: 'rehearse' };
  const gates = ['valid', 'rehearsed', 'approved'] as const;
  if (gates.some((name) => !isGatePassed(wave, name) && (pending > 0 || name === 'valid'))) return stopOrWait(wave);
  if (pending > 0) return { do: 'create' };
  return created > 0 ? undefined : stopOrWait(wave);
}

/**
 * Whether another rehearsal can have another result: accounts changed or were not tried, or businesses and contracts were imported since,
 * which the accounts may have lacked.
 */
function canRehearsalHelp({ counts, jobs, rehearsal_job_id: last }: WaveView): boolean {
  const isChanged = counts.not_rehearsed > counts.failed_rehearsal;
  const importedSince = jobs.some(
    ({ job_id: id, goal, kind, succeeded }) =>
      goal === 'IMPORT' && ['businesses', 'business-contracts'].includes(kind) && succeeded > 0 && id > (last ?? ''),
  );
  return isChanged || importedSince;
}

/** Attachments may run concurrently; the comparison follows when all have ended. */
function stepAfter(wave: WaveView, files: readonly MigrationFile[]): MigrationStep {
  if (wave.status !== 'CREATED') return WAIT;
  for (const file of files) {
    const step = stepOfFile(wave, file);
    if (step !== undefined) return step;
  }
  if (wave.jobs.some((job) => job.status === 'PAUSED') || !isGatePassed(wave, 'attached')) return stopOrWait(wave);
  if (isGatePassed(wave, 'reconciled')) return { do: 'end' };
  return reconciliationOf(wave) === undefined ? { do: 'compare' } : stopOrWait(wave);
}

function stopOrWait(wave: WaveView): MigrationStep {
  const decision = decisionOf(wave);
  return decision === undefined ? WAIT : { do: 'stop', decision };
}
