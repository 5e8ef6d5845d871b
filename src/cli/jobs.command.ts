import { Command } from 'commander';
import { CommandError, exitStatuses } from './command-error.ts';
import { jobIn, jobsPath, showCauses, showJob, statusOf, type CauseView } from './import-job-view.ts';
import { printJson, printJsonLines, printLine, printTable } from './output.ts';
import type { JobConnection } from './job-connection.ts';
import type { AccessOptions, Surroundings } from './supplier-access.ts';
import { readJob, resultsPath, saveResults, watchJob } from './watch-import-job.ts';

type Options = AccessOptions & { json?: true };

/** `jobs list|show|causes|pause|resume|cancel|results`: import jobs. */
export function jobsCommand(surroundings: Surroundings): Command {
  const group = new Command('jobs').description('Import jobs: progress, failures, and control.');
  const commands = [list, show, causes, change('pause'), change('resume'), change('cancel'), results];
  for (const make of commands) group.addCommand(make(surroundings));
  return group;
}

/** Creates a command with the options that all job commands have. */
function jobCommand<Given extends Options>(
  { addOptions, connect, program }: Surroundings,
  about: {
    usage: string;
    description: string;
    example: string;
    options?: (command: Command) => Command;
    act: (connection: JobConnection, args: readonly (string | undefined)[], options: Given) => Promise<void>;
  },
): Command {
  const [name = '', ...parameters] = about.usage.split(' ');
  const command = new Command(name).description(about.description);
  if (parameters.length > 0) command.arguments(parameters.join(' '));
  addOptions(about.options?.(command) ?? command).option('--json', 'print the response as one JSON line');
  return command
    .addHelpText('after', `\nExample:\n  ${program} jobs ${about.example}`)
    .action(async (...given: unknown[]) => {
      const options = command.opts() as Given;
      await about.act(await connect(options, false), given.slice(0, -2) as (string | undefined)[], options);
    });
}

const list = (surroundings: Surroundings) =>
  jobCommand<Options & { supplier?: string; limit?: string }>(surroundings, {
    usage: 'list',
    description: 'List the newest jobs.',
    example: 'list --supplier ACME',
    options: (command) =>
      command
        .option('--supplier <code>', 'only jobs of this import supplier')
        .option('--limit <jobs>', 'maximum number of jobs (default 20)'),
    act: async (connection, _args, { supplier, limit = '20', json }) => {
      const query = new URLSearchParams({ ...(supplier === undefined ? {} : { import_supplier: supplier }), limit });
      const jobs = (await connection.call<unknown[]>('GET', `${jobsPath(connection)}?${query}`)).map(jobIn);
      if (json) return printJson(jobs);
      printTable(
        jobs,
        {
          JOB: (one) => one.job_id,
          CREATED: (one) => one.created_at,
          'IMPORT SUPPLIER': (one) => one.import_supplier,
          KIND: (one) => one.kind,
          GOAL: (one) => one.goal,
          STATUS: statusOf,
          RECORDS: (one) => one.counts.accepted,
          SUCCEEDED: (one) => one.counts.succeeded,
          FAILED: (one) => one.counts.failed,
          NAME: (one) => one.name,
        },
        'There is no import job yet.',
      );
    },
  });

const show = (surroundings: Surroundings) =>
  jobCommand<Options & { watch?: true; failures?: string }>(surroundings, {
    usage: 'show <job>',
    description: 'Show one job with its first causes.',
    example: 'show <job> --watch',
    options: withWatch,
    act: async (connection, [job], options) => {
      if (options.watch) return watchJob(connection, job!, options);
      const view = await readJob(connection, job!);
      if (options.json) printJson(view);
      else showJob(view);
    },
  });

const causes = (surroundings: Surroundings) =>
  jobCommand<Options & { supplier?: string; onlyBlocking?: true }>(surroundings, {
    usage: 'causes [job]',
    description:
      'List the causes of failures, most frequent first: of a job, or of all staged accounts of an import supplier.',
    example: 'causes <job>',
    options: (command) =>
      command
        .option('--supplier <code>', 'causes of all staged accounts of this import supplier')
        .option('--only-blocking', 'without warnings'),
    act: async (connection, [job], { supplier, onlyBlocking, json }) => {
      if ((job === undefined) === (supplier === undefined)) {
        throw new CommandError('Name a job, or an import supplier with --supplier.', exitStatuses.usage);
      }
      const jobs = jobsPath(connection);
      const path =
        supplier === undefined
          ? `${jobs}${encodeURIComponent(job!)}/causes/`
          : `${jobs.replace('import-jobs/', 'causes/')}${encodeURIComponent(supplier)}/`;
      const query = onlyBlocking ? '?only_blocking=true' : '';
      const found = await connection.call<{ causes: CauseView[] }>('GET', `${path}${query}`);
      if (json) printJson(found.causes);
      else showCauses(found.causes);
    },
  });

const DONE = { pause: 'paused', resume: 'is resumed', cancel: 'is canceled' } as const;
const ABOUT = {
  pause: 'Pause a job; completed records stay.',
  resume: 'Resume a paused job, or approve its canary.',
  cancel: 'Cancel a job; completed records stay, the rest is not processed.',
} as const;

const change = (verb: 'pause' | 'resume' | 'cancel') => (surroundings: Surroundings) =>
  jobCommand<Options & { reason?: string; watch?: true; failures?: string }>(surroundings, {
    usage: `${verb} <job>`,
    description: ABOUT[verb],
    example: `${verb} <job>`,
    options: (command) =>
      (verb === 'resume' ? withWatch(command) : command).option('--reason <text>', 'reason, recorded in the audit'),
    act: async (connection, [job], options) => {
      const path = `${jobsPath(connection)}${encodeURIComponent(job!)}/${verb}/`;
      const body = options.reason === undefined ? undefined : { reason: options.reason };
      await connection.call('POST', path, body);
      if (options.watch) return watchJob(connection, job!, options);
      const view = await readJob(connection, job!);
      if (options.json) printJson(view);
      else printLine(`The job ${DONE[verb]}: ${statusOf(view)}.`);
    },
  });

const results = (surroundings: Surroundings) =>
  jobCommand<Options & { outcome: string; resend?: true; output?: string }>(surroundings, {
    usage: 'results <job>',
    description: 'Print the outcome of each record, as NDJSON on standard output, or in a file.',
    example: 'results <job> --outcome failed --resend --output left.ndjson',
    options: (command) =>
      command
        .option('--outcome <outcome>', 'succeeded, failed or unprocessed', 'failed')
        .option('--resend', 'the records as they were sent, with _errors, to correct and resend')
        .option('--output <file>', 'write to this file'),
    act: async (connection, [job], { outcome, resend, output }) => {
      const query = { outcome: outcome.toLowerCase(), ...(resend ? { form: 'resend' } : {}) };
      if (output !== undefined) return saveResults(connection, job!, query, output);
      await printJsonLines(await connection.download(resultsPath(connection, job!, query)));
    },
  });

function withWatch(command: Command): Command {
  return command
    .option('--watch', 'wait until the job has ended')
    .option('--failures <file>', 'with --watch: write the failed records to this file');
}
