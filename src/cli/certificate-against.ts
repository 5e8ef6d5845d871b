import { Big } from 'big.js';
import type { Certificate } from '../reconciliation/certificate.rules.ts';
import type { ManifestKinds } from '../manifest/manifest.schema.ts';
import { CommandError } from './command-error.ts';
import { countFiles, findRecordFiles } from './manifest-files.ts';
import { barOf, ProgressLine } from './progress.ts';

/** A value in which the files, the accepted and the stored data do not all agree. */
export interface Disagreement {
  path: string;
  files: string;
  accepted: string;
  stored: string;
}

const NO_DIGEST = '0'.repeat(64);
/** Digits of a digest in messages. */
const DIGITS_SHOWN = 16;
const LISTED_MAX = 200;

/**
 * Computes all digests and sums of a certificate from files, without the service.
 * @returns every one that differs from the accepted or the stored data
 */
export async function compareWithFiles(certificate: Certificate, paths: readonly string[]): Promise<Disagreement[]> {
  // Standard output has the certificate, if it is printed as JSON.
  const progress = new ProgressLine({ json: true });
  const files = findRecordFiles(paths, undefined);
  const { kinds } = await countFiles(files, certificate.import_supplier, (file, share) =>
    progress.show(`${barOf(share ?? 0)} ${file}`, file),
  );
  return disagreements(certificate, kinds);
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
  found: readonly Disagreement[],
  differences: string | undefined,
): string | undefined {
  const { accounts_without_copy: withoutCopy, accounts_by_hashes: byHashes, reconciliation_id: id } = certificate;
  const lines = found.map(({ path, files, accepted, stored }) => {
    const [one, two, three] = [files, accepted, stored].map((value) => value.slice(0, DIGITS_SHOWN));
    return `  ${path}: files ${one}, accepted ${two}, stored ${three}`;
  });
  const notes = [];
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

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - LISTED_MAX;
  return more <= 0 ? [...lines] : [...lines.slice(0, LISTED_MAX), `  and ${more} more`];
}
