import { Option, type Command } from 'commander';
import { commandGroup, commandOf, type CommandSpec, type JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Surroundings } from './connection.ts';
import { jobIn, jobsPath, PRINTED_JOB, showCauses, showJob, statusOf, type JobView } from './import-job-view.ts';
import { printAnswer, printJsonLines, printLine, printTable } from './output.ts';
import { readJob, resultsPath, saveResults, watchJob, type WatchOptions } from './watch-import-job.ts';

/** `jobs list|show|causes|pause|resume|cancel|results`: import jobs. */
export function jobsCommand(surroundings: Surroundings): Command {
  return groupOf(surroundings, specs());
}

/** The same for operators, with `accept-differences`. */
export function operatorJobsCommand(surroundings: Surroundings): Command {
  const accept = change(
    'accept-differences',
    'Accept the differences of a job from its manifest, with a reason; a job that is paused for them continues.',
    'continues',
  );
  return groupOf(surroundings, [...specs(), accept]);
}

const specs = () => [
  list,
  show,
  causes,
  change('pause', 'Pause a job; completed records stay.', 'paused'),
  change('resume', 'Resume a paused job, or approve its canary.', 'is resumed'),
  change('cancel', 'Cancel a job; completed records stay, the rest is not processed.', 'is canceled'),
  results,
];

function groupOf(surroundings: Surroundings, all: readonly CommandSpec[]): Command {
  const commands = all.map((spec) => commandOf(surroundings, spec));
  return commandGroup('jobs', 'Import jobs: progress, failures, and control.', commands);
}

const JOBS = jobsPath({ isOperator: false });
type Watched = WatchOptions & { job: string; watch?: true };

const WATCH = [
  new Option('--watch', 'wait until the job has ended'),
  new Option('--failures <file>', 'with --watch: write the failed records to this file'),
];

const list: CommandSpec = {
  usage: 'list',
  description: 'List the newest jobs.',
  examples: ['jobs list --supplier ACME'],
  options: [
    new Option('--supplier <code>', 'only jobs of this import supplier'),
    new Option('--limit <jobs>', 'maximum number of jobs (default 20)'),
  ],
  prints: { operation: `GET ${JOBS}` },
  act: async ({ supplier, limit = '20', json }: JsonOption & { supplier?: string; limit?: string }, connect) => {
    const connection = await connect();
    const query = new URLSearchParams({ ...(supplier === undefined ? {} : { import_supplier: supplier }), limit });
    const jobs = (await connection.call<unknown[]>('GET', `${jobsPath(connection)}?${query}`)).map(jobIn);
    printAnswer(jobs, json, showJobs);
  },
};

const showJobs = (jobs: readonly JobView[]) =>
  printTable(
    jobs,
    {
      JOB: 'job_id',
      CREATED: 'created_at',
      'IMPORT SUPPLIER': 'import_supplier',
      KIND: 'kind',
      GOAL: 'goal',
      STATUS: statusOf,
      RECORDS: 'counts.accepted',
      SUCCEEDED: 'counts.succeeded',
      FAILED: 'counts.failed',
      NAME: 'name',
    },
    'There is no import job yet.',
  );

const show: CommandSpec = {
  usage: 'show <job>',
  description: 'Show one job with its first causes.',
  examples: ['jobs show <job> --watch'],
  options: WATCH,
  prints: PRINTED_JOB,
  act: async ({ job, watch, ...options }: Watched, connect) => {
    const connection = await connect();
    if (watch) return watchJob(connection, job, options);
    const view = await readJob(connection, job);
    printAnswer(view, options.json, showJob);
  },
};

const causes: CommandSpec = {
  usage: 'causes [job]',
  description:
    'List the causes of failures, most frequent first: of a job, or of all staged accounts of an import supplier.',
  examples: ['jobs causes <job>'],
  options: [
    new Option('--supplier <code>', 'causes of all staged accounts of this import supplier'),
    new Option('--only-blocking', 'without warnings'),
  ],
  prints: { operation: `GET ${JOBS}<job>/causes/`, member: 'causes' },
  act: async (
    { job, supplier, onlyBlocking, json }: JsonOption & { job?: string; supplier?: string; onlyBlocking?: true },
    connect,
  ) => {
    const connection = await connect();
    if ((job === undefined) === (supplier === undefined)) {
      throw new CommandError('Name a job, or an import supplier with --supplier.', exitStatuses.usage);
    }
    const jobs = jobsPath(connection);
    const path =
      supplier === undefined
        ? `${jobs}${encodeURIComponent(job!)}/causes/`
        : `${jobs.replace('import-jobs/', 'causes/')}${encodeURIComponent(supplier)}/`;
    const query = onlyBlocking ? '?only_blocking=true' : '';
    const found = await connection.call<Pick<JobView, 'causes'>>('GET', `${path}${query}`);
    printAnswer(found.causes, json, showCauses);
  },
};

const change = (verb: string, description: string, done: string): CommandSpec => ({
  usage: `${verb} <job>`,
  description,
  examples: [`jobs ${verb} <job>`],
  options: [...(verb === 'resume' ? WATCH : []), new Option('--reason <text>', 'reason, recorded in the audit')],
  prints: PRINTED_JOB,
  act: async ({ job, reason, watch, ...options }: Watched & { reason?: string }, connect) => {
    const connection = await connect();
    const body = reason === undefined ? undefined : { reason };
    await connection.call('POST', `${jobsPath(connection)}${encodeURIComponent(job)}/${verb}/`, body);
    if (watch) return watchJob(connection, job, options);
    const view = await readJob(connection, job);
    printAnswer(view, options.json, () => printLine(`The job ${done}: ${statusOf(view)}.`));
  },
});

const results: CommandSpec = {
  usage: 'results <job>',
  description: 'Print the outcome of each record, as NDJSON on standard output, or in a file.',
  examples: ['jobs results <job> --outcome failed --resend --output left.ndjson'],
  options: [
    new Option('--outcome <outcome>', 'succeeded, failed or unprocessed').default('failed'),
    new Option('--resend', 'the records as they were sent, with _errors, to correct and resend'),
    new Option('--output <file>', 'write to this file'),
  ],
  prints: { operation: `GET ${JOBS}<job>/results/` },
  act: async (
    { job, outcome, resend, output }: { job: string; outcome: string; resend?: true; output?: string },
    connect,
  ) => {
    const connection = await connect();
    const query = { outcome: outcome.toLowerCase(), ...(resend ? { form: 'resend' } : {}) };
    if (output !== undefined) return saveResults(connection, job, query, output);
    await printJsonLines(await connection.download(resultsPath(connection, job, query)));
  },
};
