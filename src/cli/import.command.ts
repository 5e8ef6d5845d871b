import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { sha256Of } from '../manifest/manifest-hash.rules.ts';
import { withExamples, withOutput } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection, Surroundings } from './connection.ts';
import { assertReplaceable } from './files.ts';
import { jobsPath, PRINTED_JOB, showJob, statusOf, type JobView } from './import-job-view.ts';
import { addImportOptions, requestOf, type ImportOptions, type ImportRequest } from './import-options.ts';
import { formOf, hasChanged, readState, writeState, type ImportPurpose } from './import-state.ts';
import { runInterruptibly } from './interrupt.ts';
import { counted, printAnswer, printLine } from './output.ts';
import { ProgressLine } from './progress.ts';
import { openInput, STANDARD_INPUT_NAME } from './split-parts.ts';
import { uploadParts } from './upload-parts.ts';
import { readJob, watchJob } from './watch-import-job.ts';

const MAKE = jobsPath({ isOperator: false });

const ABOUT = `
The file is NDJSON with one record per line, uncompressed, gzip or zstd; "-" is standard input. Each line is the request body for one record, as in the API.
If the command is interrupted, run it again to resume; <file>.gangway-job holds the job id.
Ctrl-C leaves the job running.

Exit status: 0 done, with --watch only if all records succeeded; 1 records failed, the job was cancelled, or a call was refused;
2 usage error; 3 service unreachable; 4 job paused and waiting for you; 130 interrupted, the job continues.`;

/** `import`: uploads a file of records as an import job and follows it. */
export function importCommand(surroundings: Surroundings): Command {
  const command = addImportOptions(new Command('import'))
    .argument('[file]', 'records to import')
    .description('Upload a file and run it as an import job; needs a login with the API key of a supplier.')
    .addHelpText('after', ABOUT)
    .action((file: string | undefined, options: ImportOptions) => importFile(surroundings, file, options));
  for (const option of surroundings.options) command.addOption(option);
  return withExamples(withOutput(command, PRINTED_JOB), surroundings.program, [
    'import accounts.ndjson.gz --supplier ACME --goal stage --watch',
    'import accounts.ndjson.gz --supplier ACME --goal create --canary 100 --watch --failures left.ndjson',
    'import accounts.ndjson.gz --supplier ACME --goal create --manifest manifest.json --watch',
    'import --staged --supplier ACME --goal rehearse --watch',
    'import notes.ndjson --supplier ACME --kind notes --watch',
  ]);
}

async function importFile(surroundings: Surroundings, file: string | undefined, options: ImportOptions): Promise<void> {
  if ((file === undefined) === (options.staged === undefined)) {
    throw new CommandError('Name a file, or import the staged accounts with --staged.', exitStatuses.usage);
  }
  if (file !== undefined && options.failures !== undefined && isSameFile(file, options.failures)) {
    throw new CommandError(
      '--failures must not name the imported file, which would be replaced. Name another file.',
      exitStatuses.usage,
    );
  }
  if (options.failures !== undefined) assertReplaceable(options.failures);
  const request = requestOf(options);
  const connection = await surroundings.connect(options, file === STANDARD_INPUT_NAME);
  if (connection.isOperator) {
    throw new CommandError('Operators cannot import. Log in with the API key of a supplier.', exitStatuses.usage);
  }
  const work: ImportWork = { connection, file, options, request, isStarted: false };
  await runInterruptibly(
    () => run(work),
    () => adviceAfterLeaving(work),
  );
}

/** Whether both names lead to one regular file. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first?.isFile() === true && first.dev === second?.dev && first.ino === second.ino;
}

/** An import, and how far it is. */
interface ImportWork {
  connection: Connection;
  file: string | undefined;
  options: ImportOptions;
  request: ImportRequest;
  jobId?: string;
  isStarted: boolean;
}

async function run(work: ImportWork): Promise<void> {
  const { connection, file, options } = work;
  const { watch, start, json } = options;
  let job = await findJob(work);
  if (job === undefined || job.status === 'OPEN') {
    if (file !== undefined) job = await upload(work, file, job);
    job ??= await makeJob(work);
    if (start) {
      await connection.call('POST', `${MAKE}${encodeURIComponent(job.job_id)}/start/`);
      work.isStarted = true;
      say(work, 'Started.');
    }
  }
  work.isStarted = start;
  if (watch && start) return watchJob(connection, job.job_id, options);
  const now = await readJob(connection, job.job_id);
  printAnswer(now, json, () => {
    showJob(now);
    printLine(`Follow it: ${connection.program} jobs show ${now.job_id} --watch`);
  });
}

/** Advice after Ctrl-C. */
function adviceAfterLeaving({ connection, jobId, isStarted }: ImportWork): string {
  const { program } = connection;
  if (jobId === undefined) return 'Nothing was uploaded yet.';
  if (isStarted) {
    return `Job ${jobId} continues. Follow it: ${program} jobs show ${jobId} --watch; or stop it: ${program} jobs pause ${jobId}`;
  }
  return `Job ${jobId} is not started. Run the same command with --job ${jobId} to resume.`;
}

/** Finds the job named by `--job`, or the one to which this file was uploaded before. */
async function findJob(work: ImportWork): Promise<JobView | undefined> {
  const { connection, file, options } = work;
  const { job: named, new: isNew } = options;
  const state = named !== undefined || isNew || file === undefined ? undefined : readState(file, purposeOf(work));
  const jobId = named ?? state?.job_id;
  if (jobId === undefined) return undefined;
  work.jobId = jobId;
  const job = await readJob(connection, jobId);
  refuseOtherOptions(work, job);
  if (job.status === 'OPEN') {
    say(work, `Resuming job ${jobId}.`);
    return job;
  }
  if (file !== undefined && state !== undefined && hasChanged(file, state)) {
    throw new CommandError(
      `${file} has changed since it was uploaded to job ${jobId} (${statusOf(job)}). Add --new to create a new job, or --job ${jobId} to follow that one.`,
      exitStatuses.usage,
    );
  }
  say(work, `Job ${jobId} already contains this file; add --new to create another job from it.`);
  work.isStarted = true;
  return job;
}

/** Rejects options that differ from those the job was created with, such as a canary, before anything is done. */
function refuseOtherOptions({ options, request }: ImportWork, job: JobView): void {
  const { name, operations_team_name: team, wave_id: wave } = request;
  const given = { name, wave_id: wave, operations_team_name: options.team && team, ...request.options };
  const stored: Record<string, unknown> = { ...job, ...job.options };
  const others = Object.entries(given)
    .filter(([member, value]) => value !== undefined && !isDeepStrictEqual(stored[member], value))
    .map(([member]) => member.replaceAll('_', '-'));
  if (request.manifest !== undefined && job.manifest?.sha256 !== sha256Of(request.manifest)) others.push('manifest');
  if (others.length === 0) return;
  throw new CommandError(
    `Job ${job.job_id} was created with other values of ${others.join(', ')}. Omit them to continue that job, or add --new to create another one${job.status === 'OPEN' ? '' : '; that job has already started'}.`,
    exitStatuses.usage,
  );
}

async function upload(work: ImportWork, file: string, found: JobView | undefined): Promise<JobView> {
  const { connection, options } = work;
  const progress = new ProgressLine(options);
  const input = await openInput(file);
  const form = file === STANDARD_INPUT_NAME ? undefined : formOf(file);
  const job = await uploadParts(connection, input, async () => found ?? (await makeJob(work)), progress);
  if (form !== undefined && hasChanged(file, form)) {
    throw new CommandError(
      `${file} has changed while it was uploaded, so job ${job.job_id} was not started. Send it again, with --new, when the file no longer changes.`,
      exitStatuses.usage,
    );
  }
  const { parts } = await readJob(connection, job.job_id);
  const lines = parts.reduce((sum, part) => sum + part.lines, 0);
  say(work, `Uploaded ${counted(lines, 'record')} in ${counted(parts.length, 'part')}.`);
  return job;
}

async function makeJob(work: ImportWork): Promise<JobView> {
  const { connection, file, request } = work;
  const { job_id: jobId } = await connection.call<{ job_id: string }>('POST', MAKE, request);
  work.jobId = jobId;
  say(work, `Created job ${jobId}.`);
  if (file !== undefined && !writeState(file, purposeOf(work), jobId)) {
    say(work, `To resume after an interruption, add --job ${jobId}.`);
  }
  return readJob(connection, jobId);
}

function purposeOf({ connection, options, request }: ImportWork): ImportPurpose {
  return {
    url: connection.url,
    import_supplier: options.supplier,
    kind: options.kind,
    goal: request.goal,
    wave_id: request.wave_id,
  };
}

function say({ options }: ImportWork, line: string): void {
  if (!options.json) printLine(line);
}
