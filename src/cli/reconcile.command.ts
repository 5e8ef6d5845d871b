import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { replaceFile } from './replace-file.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { JobConnection } from './job-connection.ts';
import { printJson, printJsonLines, printLine, printOutline } from './output.ts';
import type { AccessOptions, Surroundings } from './supplier-access.ts';

type Options = AccessOptions & { json?: true };

/** The members of a reconciliation that commands read. */
interface View {
  reconciliation_id: string;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLED';
  counts: { accounts: number; businesses: number; different: number };
  payment_vendors: { asked: number }[];
}

const WATCH_EVERY_MS = 1_000;

/** `reconcile start|show|differences|certificate`: compares stored with accepted data. */
export function reconcileCommand(surroundings: Surroundings): Command {
  const group = new Command('reconcile').description(
    'Compare stored data with accepted data, and issue a signed certificate.',
  );
  for (const make of [start, show, differences, certificate]) group.addCommand(make(surroundings));
  return group;
}

const pathOf = ({ isOperator }: JobConnection, id?: string) =>
  `/v1/${isOperator ? 'operations' : 'data-import'}/reconciliations/${id === undefined ? '' : `${encodeURIComponent(id)}/`}`;

function start({ addOptions, connect, program }: Surroundings): Command {
  const command = new Command('start').description(
    'Start a reconciliation of an import supplier or of one import job.',
  );
  return addOptions(command)
    .option('--supplier <code>', 'all created accounts of this import supplier')
    .option('--job <job>', 'the accounts that this import job created')
    .option('--watch', 'wait until it has ended')
    .option('--json', 'print the response as one JSON line')
    .addHelpText('after', `\nExample:\n  ${program} reconcile start --supplier ACME --watch`)
    .action(async (options: Options & { supplier?: string; job?: string; watch?: true }) => {
      if ((options.supplier === undefined) === (options.job === undefined)) {
        throw new CommandError('Name an import supplier with --supplier, or a job with --job.', exitStatuses.usage);
      }
      const connection = await connect(options, false);
      const body = options.supplier === undefined ? { job_id: options.job } : { import_supplier: options.supplier };
      const started = await connection.call<View>('POST', pathOf(connection), body);
      const view = options.watch ? await watch(connection, started.reconciliation_id) : started;
      if (options.json) printJson(view);
      else printOutline(view);
    });
}

async function watch(connection: JobConnection, id: string): Promise<View> {
  for (;;) {
    const view = await connection.call<View>('GET', pathOf(connection, id));
    if (view.status !== 'RUNNING') return view;
    const { accounts, different } = view.counts;
    const asked = view.payment_vendors.reduce((sum, vendor) => sum + vendor.asked, 0);
    const questions = asked === 0 ? '' : `, ${asked} instructions checked at vendors`;
    process.stderr.write(`${accounts} accounts compared, ${different} differ${questions}\n`);
    await sleep(WATCH_EVERY_MS);
  }
}

function show({ addOptions, connect, program }: Surroundings): Command {
  const command = new Command('show')
    .arguments('<reconciliation>')
    .description('Show the progress of a reconciliation.');
  return addOptions(command)
    .option('--json', 'print the response as one JSON line')
    .addHelpText('after', `\nExample:\n  ${program} reconcile show <reconciliation>`)
    .action(async (id: string, options: Options) => {
      const connection = await connect(options, false);
      const view = await connection.call<View>('GET', pathOf(connection, id));
      if (options.json) printJson(view);
      else printOutline(view);
    });
}

function differences({ addOptions, connect, program }: Surroundings): Command {
  const command = new Command('differences')
    .arguments('<reconciliation>')
    .description('Print the differences as NDJSON.');
  return addOptions(command)
    .option('--json', 'one JSON line per difference (always the case)')
    .addHelpText('after', `\nExample:\n  ${program} reconcile differences <reconciliation>`)
    .action(async (id: string, options: Options) => {
      const connection = await connect(options, false);
      await printJsonLines(await connection.download(`${pathOf(connection, id)}differences/`));
    });
}

function certificate({ addOptions, connect, program }: Surroundings): Command {
  const command = new Command('certificate')
    .arguments('<reconciliation>')
    .description('Download the certificate of a reconciliation.');
  return addOptions(command)
    .requiredOption('--output <file>', 'write it to this file')
    .option('--json', 'also print the response as one JSON line')
    .addHelpText(
      'after',
      `\nExample:\n  ${program} reconcile certificate <reconciliation> --output certificate.json\n  ${program} verify-certificate certificate.json --key keys.json`,
    )
    .action(async (id: string, options: Options & { output: string }) => {
      const connection = await connect(options, false);
      const signed = await connection.call<object>('GET', `${pathOf(connection, id)}certificate/`);
      await replaceFile(options.output, [`${JSON.stringify(signed, null, 2)}\n`]);
      if (options.json) printJson(signed);
      else printLine(`Written to ${options.output}.`);
    });
}
