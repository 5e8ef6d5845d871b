import { Big } from 'big.js';
import type { Certificate } from '../reconciliation/certificate.rules.ts';
import { addHashOf, completeSums, digitsOf, emptySum, sumIn } from '../reconciliation/compare/sha256.rules.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { readCsv, type CsvRow } from './csv-lines.ts';
import { textIn } from './files.ts';
import { shortened } from './output.ts';

/** The columns of a ledger; others are ignored. */
export const BALANCE_COLUMNS = ['external_account_number', 'balance'] as const;

/** The schema of a list of `BalanceDifference`. */
export const BALANCE_DIFFERENCES = {
  type: 'array',
  items: {
    type: 'object',
    required: ['external_account_number', 'expected', 'received', 'difference'],
    properties: {
      external_account_number: { type: 'string' },
      expected: { type: ['string', 'null'], description: 'In the ledger; null if it does not have the account.' },
      received: {
        type: ['string', 'null'],
        description: 'By the stored transactions; null if there is no such account.',
      },
      difference: { type: 'string', description: 'Received minus expected.' },
    },
  },
};

/** Balances by external account number. */
export type Balances = ReadonlyMap<string, string>;

/** An account whose balances differ. Null if a side does not have the account. */
export interface BalanceDifference {
  external_account_number: string;
  /** In the ledger of the source. */
  expected: string | null;
  /** By the stored transactions. */
  received: string | null;
  /** Received minus expected; a missing balance counts as 0. */
  difference: string;
}

const DECIMAL = /^[+-]?\d{1,30}(?:\.\d{1,12})?$/;
/** The apostrophe with which exports keep a spreadsheet from running a cell as a formula. */
const GUARD = /^'(?= *[=+\-@|\uFF0B\uFF0D\uFF1D\uFF20])/;

/**
 * Reads balances: a CSV file with the columns `external_account_number` and `balance`, or lines of JSON with these members.
 * @throws CommandError with the line if it cannot be read
 */
export function readBalances(file: string): Balances {
  return balancesIn(textIn(file), file);
}

/** Reads balances from a text. @param file its name in messages. @throws CommandError with the line if it cannot be read */
export function balancesIn(text: string, file: string): Balances {
  const found = new Map<string, { balance: string; line: number }>();
  for (const { line, number, balance } of /^\uFEFF?\s*\{/.test(text) ? jsonRows(text, file) : csvRows(text, file)) {
    const fail = (problem: string) => new CommandError(`${file}: line ${line} ${problem}.`, exitStatuses.usage);
    if (number === '') throw fail('has no external_account_number');
    if (!DECIMAL.test(balance)) {
      throw fail(`has the balance "${balance}". Write a decimal with a point and without spaces, such as -1234.50`);
    }
    const other = found.get(number);
    if (other !== undefined) throw fail(`repeats the account ${number} of line ${other.line}`);
    found.set(number, { balance: cents(new Big(balance.replace('+', ''))), line });
  }
  return new Map(Array.from(found, ([number, { balance }]) => [number, balance]));
}

interface Row {
  line: number;
  number: string;
  balance: string;
}

function* csvRows(text: string, file: string): Generator<Row> {
  let columns: number[] | undefined;
  for (const { line, cells } of readCsv(text, file)) {
    if (columns === undefined) {
      columns = columnsIn({ line, cells }, file);
      continue;
    }
    const [number = '', balance = ''] = columns.map((column) => (cells[column] ?? '').trim());
    yield { line, number: number.replace(GUARD, ''), balance: balance.replace(GUARD, '') };
  }
  if (columns === undefined) throw new CommandError(`${file} is empty. ${HEADER}`, exitStatuses.usage);
}

const HEADER = `The first line must name the columns ${BALANCE_COLUMNS.join(' and ')}, separated by semicolons or commas.`;

function columnsIn({ line, cells }: CsvRow, file: string): number[] {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const columns = BALANCE_COLUMNS.map((name) => names.indexOf(name));
  const missing = BALANCE_COLUMNS.filter((_, index) => columns[index] === -1);
  if (missing.length === 0) return columns;
  throw new CommandError(`${file}: line ${line} has no column ${missing.join(', ')}. ${HEADER}`, exitStatuses.usage);
}

function* jsonRows(text: string, file: string): Generator<Row> {
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    let entry: Partial<Record<string, string | number>> | null;
    try {
      entry = JSON.parse(line) as typeof entry;
    } catch {
      throw new CommandError(`${file}: line ${index + 1} is not valid JSON.`, exitStatuses.usage);
    }
    const [number, balance] = BALANCE_COLUMNS.map((name) => String(entry?.[name] ?? ''));
    yield { line: index + 1, number: number!, balance: balance! };
  }
}

/** Writes a decimal with at least two places, as the service writes balances. */
function cents(decimal: Big): string {
  const text = decimal.eq(decimal.round(2)) ? decimal.toFixed(2) : decimal.toFixed();
  return /^-0\.00$/.test(text) ? '0.00' : text;
}

/** Compares a ledger with received balances. @returns each account that differs, in the order of the ledger */
export function compareBalances(ledger: Balances, received: Balances): BalanceDifference[] {
  return [...new Set([...ledger.keys(), ...received.keys()])].flatMap((number) => {
    const [expected = null, found = null] = [ledger.get(number), received.get(number)];
    if (expected === found) return [];
    const difference = cents(new Big(found ?? 0).minus(expected ?? 0));
    return [{ external_account_number: number, expected, received: found, difference }];
  });
}

/** Describes a difference in one line. */
export function differenceText({ external_account_number: number, expected, received, difference }: BalanceDifference) {
  if (received === null) return `  ${number}: missing, expected ${expected}`;
  if (expected === null) return `  ${number}: extra, received ${received}`;
  return `  ${number}: expected ${expected}, received ${received}, difference ${difference}`;
}

type CertifiedBalances = Certificate['balances'];

/**
 * Explains why a ledger does not agree with the balances of a certificate.
 * @param received the balances that the service listed, which name accounts
 * @returns undefined if all agree
 */
export function explainBalances(
  certified: CertifiedBalances,
  ledger: Balances,
  received: Balances | undefined,
): string | undefined {
  const isSame = (side: 'accepted' | 'stored') => agrees(certified, side, ledger);
  const differences = received === undefined ? [] : compareBalances(ledger, received);
  if (isSame('accepted') && isSame('stored') && differences.length === 0) return undefined;
  const { accounts, accepted, stored } = certified;
  const total = cents(sumOf(ledger));
  const lines = [
    `The balances do not agree with the certificate: ledger ${ledger.size} accounts, ${total} in total; certificate ${accounts} accounts, accepted ${cents(new Big(accepted))}, stored ${cents(new Big(stored))}.`,
  ];
  if (received === undefined) {
    return `${lines[0]}\n\`reconcile balances\` lists the balance of each account; --received-balances names those that differ.`;
  }
  if (!agrees(certified, 'stored', received)) {
    lines.push(
      'The received balances are not those of the certificate: transactions were added since, or the file was changed.',
    );
  }
  return [...lines, ...shortened(differences.map(differenceText))].join('\n');
}

function sumOf(balances: Balances): Big {
  return balances.values().reduce((sum, balance) => sum.plus(balance), new Big(0));
}

/** Whether balances are those of a certificate: the number, total and digest of all. */
function agrees(certified: CertifiedBalances, side: 'accepted' | 'stored', balances: Balances): boolean {
  const digest = emptySum();
  for (const [number, balance] of balances) addHashOf(digest, `${number}\nbalance\t${balance}\n`);
  completeSums();
  return (
    certified.accounts === balances.size &&
    sumOf(balances).eq(certified[side]) &&
    digitsOf(digest) === digitsOf(sumIn(certified.digest[side]))
  );
}
