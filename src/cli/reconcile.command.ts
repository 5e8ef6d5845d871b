import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { commandGroup, commandOf, type CommandSpec, type JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection, Surroundings } from './connection.ts';
import { csvOf } from './csv-lines.ts';
import { replaceFile } from './files.ts';
import {
  BALANCE_COLUMNS,
  BALANCE_DIFFERENCES,
  type Balances,
  balancesIn,
  compareBalances,
  differenceText,
  readBalances,
} from './ledger.ts';
import { counted, printAnswer, printJson, printJsonLines, printLine, printOutline, shortened } from './output.ts';

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

/** `reconcile start|show|differences|accounts|balances|certificate`: compares stored with accepted data. */
export function reconcileCommand(surroundings: Surroundings): Command {
  const commands = [start, show, differences, accounts, balances, certificate].map((spec) =>
    commandOf(surroundings, spec),
  );
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

const accounts: CommandSpec = {
  usage: 'accounts <reconciliation> [accounts...]',
  description: 'Print a digest of each account as NDJSON, or a hash of each value of some accounts.',
  note: 'Hashes of values are for suppliers; operators see the values of a difference on the support site.',
  examples: [
    'reconcile accounts <reconciliation> > accounts.ndjson',
    'reconcile accounts <reconciliation> A-1 A-2 > values.ndjson',
    'verify-certificate certificate.json --key keys.json --against export/ --accounts accounts.ndjson values.ndjson',
  ],
  json: 'one JSON line per account (always the case)',
  prints: [
    { operation: `GET ${RECONCILIATIONS}<reconciliation>/accounts/` },
    { when: 'with accounts', operation: `GET ${RECONCILIATIONS}<reconciliation>/accounts/<account>/` },
  ],
  act: async ({ reconciliation, accounts: wanted }: Named & { accounts: string[] }, connect) => {
    const connection = await connect();
    const path = `${pathOf(connection, reconciliation)}accounts/`;
    if (wanted.length === 0) return printJsonLines(await connection.download(path));
    if (connection.isOperator) {
      throw new CommandError('Hashes of values are for suppliers. Use the API key of a supplier.', exitStatuses.usage);
    }
    for (const account of wanted) {
      printJson(await connection.call<object>('GET', `${path}${encodeURIComponent(account)}/`));
    }
  },
};

const balances: CommandSpec = {
  usage: 'balances <reconciliation>',
  description: 'Print the opening balance of each account as NDJSON, or compare it with the ledger of the source.',
  note: `A ledger is a CSV file with the columns ${BALANCE_COLUMNS.join(' and ')}, separated by semicolons or commas; balances have a decimal
point, and a positive one is the customer's credit. The exit status is 0 only if all balances agree with it.`,
  examples: [
    'reconcile balances <reconciliation> --output balances.csv',
    'reconcile balances <reconciliation> --ledger ledger.csv',
  ],
  options: [
    new Option('--csv', 'as CSV with semicolons, for spreadsheets'),
    new Option('--output <file>', 'write to this file; as CSV if its name ends with .csv'),
    new Option('--ledger <file>', 'print only the accounts whose balances differ from this ledger'),
  ],
  json: 'one JSON line per account (the default)',
  prints: [
    { operation: `GET ${RECONCILIATIONS}<reconciliation>/balances/` },
    { when: 'with `--ledger`', schema: BALANCE_DIFFERENCES },
  ],
  act: async ({ reconciliation, csv, output, ledger, json }: BalanceOptions, connect) => {
    if (csv && json) throw new CommandError('Choose --csv or --json.', exitStatuses.usage);
    if (ledger !== undefined && (csv || output !== undefined)) {
      throw new CommandError('--ledger prints differences; omit --csv and --output.', exitStatuses.usage);
    }
    const expected = ledger === undefined ? undefined : readBalances(ledger);
    const connection = await connect();
    const lines = await connection.download(`${pathOf(connection, reconciliation)}balances/`);
    if (expected !== undefined) return printBalanceDifferences(expected, lines, json);
    const isCsv = csv || output?.toLowerCase().endsWith('.csv') === true;
    const content = () => csvOf(lines, BALANCE_COLUMNS, ['balance']);
    if (output !== undefined) return replaceFile(output, isCsv ? content() : lines);
    if (!isCsv) return printJsonLines(lines);
    for await (const line of content()) process.stdout.write(line);
  },
};

type BalanceOptions = Named & { csv?: true; output?: string; ledger?: string };

async function printBalanceDifferences(expected: Balances, lines: Readable, json: true | undefined): Promise<void> {
  const differences = compareBalances(expected, balancesIn(await text(lines), 'The response'));
  printAnswer(differences, json, () => {
    if (differences.length === 0) printLine(`All ${expected.size} balances agree with the ledger.`);
    else printLine(shortened(differences.map(differenceText)).join('\n'));
  });
  const { length } = differences;
  if (length > 0) throw new CommandError(`${counted(length, 'account')} without the balance of the ledger.`);
}

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
