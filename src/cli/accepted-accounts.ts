import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Certificate } from '../reconciliation/certificate.rules.ts';
import { addWords, digitsOf, emptySum, sumIn, type Sum } from '../reconciliation/compare/sha256.rules.ts';
import { CommandError, exitStatuses } from './command-error.ts';

/** Hashes of values, by path. */
type ValueHashes = ReadonlyMap<string, string>;

/** What the service lists of accepted accounts. */
export interface AcceptedAccounts {
  digests: AccountSums;
  /** Accounts of which no copy is kept. */
  withoutCopy: ReadonlySet<string>;
  /** By account. */
  values: ReadonlyMap<string, ValueHashes>;
}

/** The accounts of files. */
export interface FoundAccounts {
  /** With those that have only transactions. */
  digests: AccountSums;
  /** Accounts with a record of their own. */
  records: ReadonlySet<string>;
  /** Of those whose accepted values are known. */
  values: ReadonlyMap<string, ValueHashes>;
}

/** A line of `reconcile accounts`: the digest of an account, or the hashes of its values. */
interface Line {
  external_account_number: string;
  digest?: string | null;
  values?: { path: string; sha256: string }[];
}

const DIGEST = /^[0-9a-f]{64}$/;

/** Reads files that `reconcile accounts` has written. @throws CommandError with the line if one cannot be read */
export async function readAcceptedAccounts(files: readonly string[]): Promise<AcceptedAccounts> {
  const digests = new AccountSums();
  const withoutCopy = new Set<string>();
  const values = new Map<string, ValueHashes>();
  for (const file of files) {
    for await (const { external_account_number: account, digest, values: hashes } of linesOf(file)) {
      if (hashes !== undefined) values.set(account, new Map(hashes.map(({ path, sha256 }) => [path, sha256])));
      else if (typeof digest === 'string') digests.add(account, sumIn(digest));
      else withoutCopy.add(account);
    }
  }
  return { digests, withoutCopy, values };
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  const source = createReadStream(file);
  let number = 0;
  try {
    for await (const text of createInterface({ input: source, crlfDelay: Infinity })) {
      number += 1;
      if (text.trim() !== '') yield lineIn(text, `${file}: line ${number}`);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, exitStatuses.usage);
  } finally {
    source.destroy();
  }
}

function lineIn(text: string, place: string): Line {
  let line: Partial<Line> | null;
  try {
    line = JSON.parse(text) as Partial<Line> | null;
  } catch {
    throw new CommandError(`${place} is not valid JSON.`, exitStatuses.usage);
  }
  const { external_account_number: account, digest, values } = line ?? {};
  const isKnown = Array.isArray(values) || digest === null || (typeof digest === 'string' && DIGEST.test(digest));
  if (typeof account === 'string' && isKnown) return line as Line;
  throw new CommandError(`${place} is not a line of \`reconcile accounts\`.`, exitStatuses.usage);
}

/**
 * Names the accounts that differ between files and accepted data, with their paths if the values are known.
 * @returns a line each
 */
export function namedAccounts(accepted: AcceptedAccounts, found: FoundAccounts): string[] {
  const lines: string[] = [];
  for (const account of accepted.digests.accounts) {
    if (!found.records.has(account)) lines.push(`  ${account}: not in the files`);
    else if (accepted.digests.digestOf(account) !== found.digests.digestOf(account)) {
      lines.push(...differingPaths(account, accepted.values.get(account), found.values.get(account)));
    }
  }
  for (const account of accepted.withoutCopy) {
    if (!found.records.has(account)) lines.push(`  ${account}: not in the files`);
  }
  for (const account of found.digests.accounts) {
    const isAccepted = accepted.digests.has(account) || accepted.withoutCopy.has(account);
    if (!isAccepted) lines.push(`  ${account}: not in the certificate`);
  }
  return lines;
}

function differingPaths(account: string, accepted: ValueHashes | undefined, found: ValueHashes = new Map()): string[] {
  if (accepted === undefined) return [`  ${account}: differs`];
  const lines = [...new Set([...accepted.keys(), ...found.keys()])].flatMap((path) => {
    if (accepted.get(path) === found.get(path)) return [];
    const kind = !found.has(path) ? 'not in the files' : accepted.has(path) ? 'changed' : 'only in the files';
    return [`  ${account} ${path}: ${kind}`];
  });
  // A record that is sent twice has all values.
  return lines.length > 0 ? lines : [`  ${account}: in the files more than once, or changed since the list was made`];
}

/** Whether the listed accounts are those of a certificate: their digests add up to those of its fields. */
export function isOfCertificate({ digests }: AcceptedAccounts, { fields }: Certificate): boolean {
  const total = emptySum();
  for (const { accepted } of fields) addWords(total, sumIn(accepted));
  return digests.total() === digitsOf(total);
}

const WORDS = 8;
const FIRST_SIZE = 1_024;

/** Sums by account. Many accounts take about 100 bytes each. */
export class AccountSums {
  readonly #places = new Map<string, number>();
  #words: Sum = new Uint32Array(FIRST_SIZE * WORDS);

  /** Adds to the sum of an account. @param from the place of the added sum in `added` */
  add(account: string, added: Sum, from = 0): void {
    let place = this.#places.get(account);
    if (place === undefined) {
      place = this.#places.size;
      this.#places.set(account, place);
      if ((place + 1) * WORDS > this.#words.length) this.#enlarge();
    }
    addWords(this.#wordsOf(place), added, from);
  }

  #enlarge(): void {
    const larger = new Uint32Array(2 * this.#words.length);
    larger.set(this.#words);
    this.#words = larger;
  }

  #wordsOf(place: number): Sum {
    return this.#words.subarray(place * WORDS, (place + 1) * WORDS);
  }

  get accounts(): Iterable<string> {
    return this.#places.keys();
  }

  has(account: string): boolean {
    return this.#places.has(account);
  }

  /** The sum of an account in hexadecimal digits; 0 if it is unknown. */
  digestOf(account: string): string {
    const place = this.#places.get(account);
    return digitsOf(place === undefined ? sumIn('') : this.#wordsOf(place));
  }

  /** The sum of all accounts. */
  total(): string {
    const total = sumIn('');
    for (const place of this.#places.values()) addWords(total, this.#wordsOf(place));
    return digitsOf(total);
  }
}
