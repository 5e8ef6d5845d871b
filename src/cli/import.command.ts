import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { withExamples } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection, Surroundings } from './connection.ts';
import { assertReplaceable } from './files.ts';
import { jobsPath, showJob, statusOf, type JobView } from './import-job-view.ts';
import { addImportOptions, requestOf, type ImportOptions, type ImportRequest } from './import-options.ts';
import { formOf, hasChanged, readState, writeState, type ImportPurpose } from './import-state.ts';
import { counted, harmless, printJson, printLine } from './output.ts';
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
  return withExamples(command, surroundings.program, [
    'import accounts.ndjson.gz --supplier ACME --goal stage --watch',
    'import accounts.ndjson.gz --supplier ACME --goal create --canary 100 --watch --failures left.ndjson',
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
  const work = new ImportOfFile(connection, file, options, request);
  const leave = () => {
    process.stderr.write(`\n${harmless(work.adviceAfterLeaving())}\n`);
    process.exit(130);
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  try {
    await work.run();
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
  }
}

/** Whether both names lead to one regular file. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first?.isFile() === true && first.dev === second?.dev && first.ino === second.ino;
}

class ImportOfFile {
  readonly #connection: Connection;
  readonly #file: string | undefined;
  readonly #options: ImportOptions;
  readonly #request: ImportRequest;
  #jobId: string | undefined;
  #isStarted = false;

  constructor(connection: Connection, file: string | undefined, options: ImportOptions, request: ImportRequest) {
    this.#connection = connection;
    this.#file = file;
    this.#options = options;
    this.#request = request;
  }

  async run(): Promise<void> {
    const { watch, start, json } = this.#options;
    let job = await this.#findJob();
    if (job === undefined || job.status === 'OPEN') {
      if (this.#file !== undefined) job = await this.#upload(this.#file, job);
      job ??= await this.#makeJob();
      if (start) await this.#start(job);
    }
    this.#isStarted = start;
    if (watch && start) return watchJob(this.#connection, job.job_id, this.#options);
    const now = await readJob(this.#connection, job.job_id);
    if (json) printJson(now);
    else {
      showJob(now);
      printLine(`Follow it: ${this.#connection.program} jobs show ${job.job_id} --watch`);
    }
  }

  /** Advice after Ctrl-C. */
  adviceAfterLeaving(): string {
    const { program } = this.#connection;
    if (this.#jobId === undefined) return 'Nothing was uploaded yet.';
    if (this.#isStarted) {
      return `Job ${this.#jobId} continues. Follow it: ${program} jobs show ${this.#jobId} --watch; or stop it: ${program} jobs pause ${this.#jobId}`;
    }
    return `Job ${this.#jobId} is not started. Run the same command with --job ${this.#jobId} to resume.`;
  }

  /** Finds the job named by `--job`, or the one to which this file was uploaded before. */
  async #findJob(): Promise<JobView | undefined> {
    const file = this.#file;
    const { job: named, new: isNew } = this.#options;
    const state = named !== undefined || isNew || file === undefined ? undefined : readState(file, this.#purpose());
    const jobId = named ?? state?.job_id;
    if (jobId === undefined) return undefined;
    this.#jobId = jobId;
    const job = await readJob(this.#connection, jobId);
    this.#refuseOtherOptions(job);
    if (job.status === 'OPEN') {
      this.#say(`Resuming job ${jobId}.`);
      return job;
    }
    if (file !== undefined && state !== undefined && hasChanged(file, state)) {
      throw new CommandError(
        `${file} has changed since it was uploaded to job ${jobId} (${statusOf(job)}). Add --new to create a new job, or --job ${jobId} to follow that one.`,
        exitStatuses.usage,
      );
    }
    this.#say(`Job ${jobId} already contains this file; add --new to create another job from it.`);
    this.#isStarted = true;
    return job;
  }

  /** Rejects options that differ from those the job was created with, such as a canary, before anything is done. */
  #refuseOtherOptions(job: JobView): void {
    const { name, operations_team_name: team, options } = this.#request;
    const given = { name, operations_team_name: this.#options.team && team, ...options };
    const stored: Record<string, unknown> = { ...job, ...job.options };
    const others = Object.entries(given)
      .filter(([member, value]) => value !== undefined && !isDeepStrictEqual(stored[member], value))
      .map(([member]) => member.replaceAll('_', '-'));
    if (others.length === 0) return;
    throw new CommandError(
      `Job ${job.job_id} was created with other values of ${others.join(', ')}. Omit them to continue that job, or add --new to create another one${job.status === 'OPEN' ? '' : '; that job has already started'}.`,
      exitStatuses.usage,
    );
  }

  async #upload(file: string, found: JobView | undefined): Promise<JobView> {
    const progress = new ProgressLine(this.#options);
    const input = await openInput(file);
    const form = file === STANDARD_INPUT_NAME ? undefined : formOf(file);
    const job = await uploadParts(this.#connection, input, async () => found ?? (await this.#makeJob()), progress);
    if (form !== undefined && hasChanged(file, form)) {
      throw new CommandError(
        `${file} has changed while it was uploaded, so job ${job.job_id} was not started. Send it again, with --new, when the file no longer changes.`,
        exitStatuses.usage,
      );
    }
    const { parts } = await readJob(this.#connection, job.job_id);
    const lines = parts.reduce((sum, part) => sum + part.lines, 0);
    this.#say(`Uploaded ${counted(lines, 'record')} in ${counted(parts.length, 'part')}.`);
    return job;
  }

  async #makeJob(): Promise<JobView> {
    const { job_id: jobId } = await this.#connection.call<{ job_id: string }>('POST', MAKE, this.#request);
    this.#jobId = jobId;
    this.#say(`Created job ${jobId}.`);
    if (this.#file !== undefined && !writeState(this.#file, this.#purpose(), jobId)) {
      this.#say(`To resume after an interruption, add --job ${jobId}.`);
    }
    return readJob(this.#connection, jobId);
  }

  async #start({ job_id: jobId }: JobView): Promise<void> {
    await this.#connection.call('POST', `${MAKE}${encodeURIComponent(jobId)}/start/`);
    this.#isStarted = true;
    this.#say('Started.');
  }

  #purpose(): ImportPurpose {
    const { supplier, kind } = this.#options;
    return { url: this.#connection.url, import_supplier: supplier, kind, goal: this.#request.goal };
  }

  #say(line: string): void {
    if (!this.#options.json) printLine(line);
  }
}
