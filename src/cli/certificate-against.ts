import { Big } from 'big.js';
import type { Certificate } from '../reconciliation/certificate.rules.ts';
import type { ManifestKinds } from '../manifest/manifest.schema.ts';
import { CANONICALIZATION } from '../reconciliation/compare/hashed-lines.rules.ts';
import { emptySum } from '../reconciliation/compare/sha256.rules.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import {
  type AcceptedAccounts,
  type FoundAccounts,
  isOfCertificate,
  namedAccounts,
  AccountSums,
} from './accepted-accounts.ts';
import { CommandError } from './command-error.ts';
import type { ChunkAccounts } from './count-chunk.ts';
import { countFiles, findRecordFiles } from './manifest-files.ts';
import { barOf, ProgressLine } from './progress.ts';
import { shortened } from './output.ts';

/** A value in which the files, the accepted and the stored data do not all agree. */
interface Disagreement {
  path: string;
  files: string;
  accepted: string;
  stored: string;
}

const NO_DIGEST = '0'.repeat(64);
/** Digits of a digest in messages. */
const DIGITS_SHOWN = 16;
const SUM_WORDS = emptySum().length;
const SOME_ACCOUNTS = 10;

/** The result of a comparison with files. */
export interface Comparison {
  /** Every digest and sum that differs from the accepted or the stored data. */
  disagreements: Disagreement[];
  /** The accounts that differ, if accepted accounts are known. */
  accounts: string[];
}

/**
 * Computes all digests and sums of a certificate from files, without the service.
 * @param accepted accounts, which name those that differ
 */
export async function compareWithFiles(
  certificate: Certificate,
  paths: readonly string[],
  accepted?: AcceptedAccounts,
): Promise<Comparison> {
  const { canonicalization } = certificate;
  if (canonicalization !== CANONICALIZATION) {
    throw new CommandError(
      `The digests of this certificate have version ${canonicalization} of the notation, and this program computes version ${CANONICALIZATION}. Use the program of gangway ${certificate.gangway_version}.`,
    );
  }
  const progress = new ProgressLine({ onStandardError: true });
  const found = {
    digests: new AccountSums(),
    records: new Set<string>(),
    values: new Map<string, Map<string, string>>(),
  };
  const onAccounts = ({ numbers, sums, values }: ChunkAccounts, kind: ImportJobKind) => {
    for (const [index, number] of numbers.entries()) {
      found.digests.add(number, sums, index * SUM_WORDS);
      if (kind === 'accounts') found.records.add(number);
    }
    for (const [number, hashes] of values) {
      found.values.set(number, new Map([...(found.values.get(number) ?? []), ...hashes]));
    }
  };
  const options = {
    importSupplier: certificate.import_supplier,
    ...(accepted && { byAccount: { valuesOf: [...accepted.values.keys()] }, onAccounts }),
  };
  const { kinds } = await countFiles(findRecordFiles(paths, undefined), options, (file, share) =>
    progress.show(share === undefined ? `Reading ${file}` : `${barOf(share)} ${file}`, file),
  );
  progress.keep();
  return {
    disagreements: disagreements(certificate, kinds),
    accounts: accepted === undefined ? [] : explainAccounts(certificate, accepted, found),
  };
}

function explainAccounts(certificate: Certificate, accepted: AcceptedAccounts, found: FoundAccounts): string[] {
  const { reconciliation_id: id, accounts_without_copy: withoutCopy, accounts_by_hashes: byHashes } = certificate;
  const named = namedAccounts(accepted, found);
  const notes: string[] = [];
  if (withoutCopy + byHashes === 0 && !isOfCertificate(accepted, certificate)) {
    notes.push(
      'The listed accounts do not add up to the certificate: data was accepted since, or the list was changed.',
    );
  }
  if (named.length > 0) notes.push('Accounts in which the files differ from the accepted data:', ...shortened(named));
  const unexplained = named.flatMap((line) => /^ {2}(.*): differs$/.exec(line)?.[1] ?? []);
  if (unexplained.length > 0) {
    const some = unexplained.slice(0, SOME_ACCOUNTS).join(' ');
    notes.push(
      `For the paths of some: \`reconcile accounts ${id} ${some} > values.ndjson\`, and add values.ndjson to --accounts.`,
    );
  }
  return notes;
}

function disagreements(certificate: Certificate, { accounts, transactions }: ManifestKinds): Disagreement[] {
  const { sums, fields } = certificate;
  const found: Disagreement[] = [];
  const counted = accounts?.records ?? 0;
  if (counted !== certificate.accounts) {
    const ofService = String(certificate.accounts);
    found.push({ path: 'accounts', files: String(counted), accepted: ofService, stored: ofService });
  }
  const sumsOfFiles = new Map([
    ['payment_schedules', accounts?.payment_schedules?.sum ?? '0'],
    ['energy_cheques', accounts?.energy_cheques?.sum ?? '0'],
    ['transactions', sumOf(Object.values(transactions?.by_type ?? {}).map((type) => type?.sum ?? '0'))],
  ]);
  const ofCertificate = new Map(sums.map((sum) => [sum.name, sum]));
  for (const [name, files] of sumsOfFiles) {
    const { accepted = '0', stored = '0' } = ofCertificate.get(name) ?? {};
    const isSame = [accepted, stored].every((sum) => new Big(sum).eq(files));
    if (!isSame) found.push({ path: `sum of ${name}`, files, accepted, stored });
  }
  const digests = new Map(
    [...(accounts?.digests ?? []), ...(transactions?.digests ?? [])].map(({ name, digest }) => [name, digest]),
  );
  const known = new Map(fields.map((field) => [field.name, field]));
  for (const name of new Set([...known.keys(), ...digests.keys()])) {
    const { accepted = NO_DIGEST, stored = NO_DIGEST } = known.get(name) ?? {};
    const files = digests.get(name) ?? NO_DIGEST;
    if (files !== accepted || files !== stored) found.push({ path: name, files, accepted, stored });
  }
  return found;
}

function sumOf(sums: readonly string[]): string {
  return sums.reduce((total, sum) => total.plus(sum), new Big(0)).toFixed();
}

/** Lines of `reconcile differences`. */
interface ListedDifference {
  key: string;
  path: string;
  kind: string;
  reason: string | null;
}

/**
 * Explains why files and certificate do not agree.
 * @param differences text of `reconcile differences`, which names accounts and paths of stored values that differ
 * @returns undefined if all agree
 */
export function explainDisagreements(
  certificate: Certificate,
  { disagreements: found, accounts }: Comparison,
  differences: string | undefined,
): string | undefined {
  const { accounts_without_copy: withoutCopy, accounts_by_hashes: byHashes, reconciliation_id: id } = certificate;
  const lines = found.map(({ path, files, accepted, stored }) => {
    const [one, two, three] = [files, accepted, stored].map((value) => value.slice(0, DIGITS_SHOWN));
    return `  ${path}: files ${one}, accepted ${two}, stored ${three}`;
  });
  const notes = [...accounts];
  if (withoutCopy + byHashes > 0) {
    notes.push(
      `${withoutCopy + byHashes} accounts are in no digest, because their payload was deleted. Files cannot be compared with them.`,
    );
  }
  if (!certificate.is_equal) {
    notes.push(
      differences === undefined
        ? `The stored data differs from the accepted data. \`reconcile differences ${id} > differences.ndjson\` and --differences name accounts and paths.`
        : ['Stored values that differ from the accepted ones:', ...namedDifferences(differences)].join('\n'),
    );
  }
  if (lines.length + notes.length === 0) return undefined;
  const head = lines.length === 0 ? [] : ['The files do not agree with the certificate:', ...shortened(lines)];
  return [...head, ...notes].join('\n');
}

function namedDifferences(text: string): string[] {
  const listed = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as ListedDifference];
    } catch {
      throw new CommandError(`Line ${index + 1} of the differences is not valid JSON.`);
    }
  });
  return shortened(
    listed
      .filter(({ reason }) => reason === null)
      .map(({ key, path, kind }) => `  ${key} ${path || '(whole account)'}: ${kind}`),
  );
}
