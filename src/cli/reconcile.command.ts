import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { commandGroup, commandOf, type CommandSpec, type JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection, Surroundings } from './connection.ts';
import { replaceFile } from './files.ts';
import { printAnswer, printJsonLines, printLine, printOutline } from './output.ts';

/** The members of a reconciliation that commands read. */
interface View {
  reconciliation_id: string;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLED';
  counts: { accounts: number; businesses: number; different: number };
  payment_vendors: { asked: number }[];
}

type Named = JsonOption & { reconciliation: string };

const RECONCILIATIONS = '/v1/data-import/reconciliations/';
const WATCH_EVERY_MS = 1_000;

/** `reconcile start|show|differences|certificate`: compares stored with accepted data. */
export function reconcileCommand(surroundings: Surroundings): Command {
  const commands = [start, show, differences, certificate].map((spec) => commandOf(surroundings, spec));
  const description = 'Compare stored data with accepted data, and issue a signed certificate.';
  return commandGroup('reconcile', description, commands);
}

const pathOf = ({ isOperator }: Connection, id?: string) =>
  `/v1/${isOperator ? 'operations' : 'data-import'}/reconciliations/${id === undefined ? '' : `${encodeURIComponent(id)}/`}`;

const start: CommandSpec = {
  usage: 'start',
  description: 'Start a reconciliation of an import supplier or of one import job.',
  examples: ['reconcile start --supplier ACME --watch'],
  moreOptions: [
    new Option('--supplier <code>', 'all created accounts of this import supplier'),
    new Option('--job <job>', 'the accounts that this import job created'),
    new Option('--watch', 'wait until it has ended'),
  ],
  prints: [
    { operation: `POST ${RECONCILIATIONS}` },
    { when: 'with `--watch`', operation: `GET ${RECONCILIATIONS}<reconciliation>/` },
  ],
  act: async (
    { supplier, job, watch, json }: JsonOption & { supplier?: string; job?: string; watch?: true },
    connect,
  ) => {
    if ((supplier === undefined) === (job === undefined)) {
      throw new CommandError('Name an import supplier with --supplier, or a job with --job.', exitStatuses.usage);
    }
    const connection = await connect();
    const body = supplier === undefined ? { job_id: job } : { import_supplier: supplier };
    const started = await connection.call<View>('POST', pathOf(connection), body);
    const view = watch ? await watchUntilEnded(connection, started.reconciliation_id) : started;
    printAnswer(view, json, printOutline);
  },
};

async function watchUntilEnded(connection: Connection, id: string): Promise<View> {
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

const show: CommandSpec = {
  usage: 'show <reconciliation>',
  description: 'Show the progress of a reconciliation.',
  examples: ['reconcile show <reconciliation>'],
  prints: { operation: `GET ${RECONCILIATIONS}<reconciliation>/` },
  act: async ({ reconciliation, json }: Named, connect) => {
    const connection = await connect();
    const view = await connection.call<View>('GET', pathOf(connection, reconciliation));
    printAnswer(view, json, printOutline);
  },
};

const differences: CommandSpec = {
  usage: 'differences <reconciliation>',
  description: 'Print the differences as NDJSON.',
  examples: ['reconcile differences <reconciliation>'],
  json: 'one JSON line per difference (always the case)',
  prints: { operation: `GET ${RECONCILIATIONS}<reconciliation>/differences/` },
  act: async ({ reconciliation }: Named, connect) => {
    const connection = await connect();
    await printJsonLines(await connection.download(`${pathOf(connection, reconciliation)}differences/`));
  },
};

const certificate: CommandSpec = {
  usage: 'certificate <reconciliation>',
  description: 'Download the certificate of a reconciliation.',
  examples: [
    'reconcile certificate <reconciliation> --output certificate.json',
    'verify-certificate certificate.json --key keys.json',
  ],
  moreOptions: [new Option('--output <file>', 'write it to this file').makeOptionMandatory()],
  json: 'also print the response as one JSON line',
  prints: { operation: `GET ${RECONCILIATIONS}<reconciliation>/certificate/` },
  act: async ({ reconciliation, output, json }: Named & { output: string }, connect) => {
    const connection = await connect();
    const signed = await connection.call<object>('GET', `${pathOf(connection, reconciliation)}certificate/`);
    await replaceFile(output, [`${JSON.stringify(signed, null, 2)}\n`]);
    printAnswer(signed, json, () => printLine(`Written to ${output}.`));
  },
};
