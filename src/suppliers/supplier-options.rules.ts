import { isJsonObject, listOf, membersIn, type Loose } from '../vocabulary/loose-payload.ts';
import { ownMember, tableOf } from '../foundation/table.ts';
import { describingSets, lockedSets, openableSets, type DescribingPaths } from '../vocabulary/value-sets.ts';
import { shownName, violation, type Path, type Violation } from '../vocabulary/violations.ts';
import type { PutImportSupplier } from './import-supplier.schema.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';
import type { DocumentLocation } from '../vendors/document-store/document-store.port.ts';
import { isContainedDocumentPath, relativeDocumentPath } from '../vocabulary/wire-forms.ts';

/** Type of an option: flag, integer up to `most`, value sets with their allowed values, or names of value sets. */
type OptionKind = { is: 'flag' | 'sets' | 'names' } | { is: 'number'; most: number };

/** Options that operators can set for a supplier; null removes an option. */
export const supplierOptions = tableOf<OptionKind>({
  check_documents: { is: 'flag' },
  closed_value_sets: { is: 'sets' },
  creation_requires_approval: { is: 'flag' },
  industry_switch: { is: 'flag' },
  null_means_absent: { is: 'flag' },
  open_value_sets: { is: 'names' },
  open_batches_max: { is: 'number', most: 10_000 },
  requests_per_second: { is: 'number', most: 10_000 },
  staged_accounts_max: { is: 'number', most: 10_000_000 },
});

const VALUE_LENGTH_MAX = 128;

/**
 * Finds violations in a change of a supplier beyond its schema. Without this check a misspelled option or a value of the wrong type would
 * be stored without effect, and requests would be validated by other rules than intended.
 */
export function findSupplierViolations({ document_root: root, options, reason }: PutImportSupplier): Violation[] {
  const found: Violation[] = [];
  if (typeof root === 'string' && root !== '' && parseDocumentRoot(root) === undefined) {
    found.push(
      violation(
        'invalid',
        ['document_root'],
        'A document root is s3://bucket/prefix/ or file:///folder/, without "..".',
      ),
    );
  }
  for (const [name, value] of Object.entries(isJsonObject(options) ? options : {})) {
    const path = ['options', shownName(name)];
    const kind = supplierOptions.get(name);
    if (kind === undefined) {
      const names = [...supplierOptions.keys()].join(', ');
      found.push(violation('invalid', path, `There is no such option. The options are ${names}.`));
    } else if (value !== null) found.push(...optionFaults(kind, value, path));
    if (name === 'open_value_sets' && value !== null && !reason) {
      found.push(violation('required', ['reason'], 'Opening a set of values needs a reason.'));
    }
  }
  return found;
}

function optionFaults(kind: OptionKind, value: unknown, path: Path): Violation[] {
  if (kind.is === 'number') {
    const isWithin = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= kind.most;
    const sentence = `This option is a whole number from 1 to ${kind.most}; null removes the limit.`;
    return isWithin ? [] : [violation('invalid', path, sentence)];
  }
  if (kind.is === 'sets') return closedValueSets(value, path);
  if (kind.is === 'names') {
    return openValueSets(value, path);
  }
  return typeof value === 'boolean' ? [] : [violation('invalid', path, 'This option is true or false.')];
}

/** Names of closed sets to open. */
function openValueSets(value: unknown, path: Path): Violation[] {
  const names: unknown[] = Array.isArray(value) ? value : [undefined];
  const wrong = names.find((name) => typeof name !== 'string' || !Object.hasOwn(openableSets, name));
  if (wrong === undefined && Array.isArray(value)) return [];
  const reason = typeof wrong === 'string' ? (ownMember(lockedSets, wrong) as string | undefined) : undefined;
  const sentence =
    reason === undefined
      ? `Send a list of sets to open: ${Object.keys(openableSets).join(', ')}.`
      : `The set ${String(wrong)} cannot be opened. ${reason}`;
  return [violation('invalid', path, sentence)];
}

/** Allowed values by set name. */
function closedValueSets(value: unknown, path: Path): Violation[] {
  if (!isJsonObject(value)) {
    return [
      violation('invalid', path, 'This option is an object: the name of a set, and a list of the accepted values.'),
    ];
  }
  return Object.entries(value).flatMap(([set, values]) => {
    const setPath = [...path, shownName(set)];
    if (!Object.hasOwn(describingSets, set)) {
      return [
        violation('invalid', setPath, `There is no such set. The sets are ${Object.keys(describingSets).join(', ')}.`),
      ];
    }
    const isListOfTexts =
      Array.isArray(values) &&
      values.length > 0 &&
      values.every((one) => typeof one === 'string' && one !== '' && one.length <= VALUE_LENGTH_MAX);
    return isListOfTexts
      ? []
      : [
          violation(
            'invalid',
            setPath,
            `A closed set is a list of the accepted values, each of 1 to ${VALUE_LENGTH_MAX} characters.`,
          ),
        ];
  });
}

/** Describing sets that operators have closed for a supplier: option `closed_value_sets`. */
export function closedValueSetsOf(supplier: KnownSupplier | undefined): ClosedValueSets | undefined {
  return supplier?.options['closed_value_sets'] as ClosedValueSets | undefined;
}

/** Whether the document paths of a supplier are looked up: option `check_documents`. */
export function checksDocuments(supplier: KnownSupplier): boolean {
  return supplier.options['check_documents'] === true;
}

/** How payloads of a supplier are read: options `null_means_absent` and `open_value_sets`. */
export function readingOptionsOf(supplier: Pick<KnownSupplier, 'options'> | undefined): {
  nullMeansAbsent: boolean;
  openValueSets: readonly string[];
} {
  const { null_means_absent: nulls, open_value_sets: open } = supplier?.options ?? {};
  return { nullMeansAbsent: nulls === true, openValueSets: Array.isArray(open) ? (open as string[]) : [] };
}

const S3_ROOT = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s;
const FOLDER_ROOT = /^file:\/\/(\/.*)$/s;

/** Location of an import supplier's documents: a prefix in a bucket, or a folder. */
type DocumentRoot = { kind: 's3'; bucket: string; prefix: string } | { kind: 'folder'; folder: string };

/**
 * Parses a document root: `s3://bucket/prefix/` or `file:///folder/`, with or without the trailing slash.
 * @returns undefined for anything else, and for a root that contains ".."
 */
export function parseDocumentRoot(root: string): DocumentRoot | undefined {
  const [, bucket, prefix = ''] = S3_ROOT.exec(root) ?? [];
  if (bucket !== undefined) {
    return leadsElsewhere(prefix) ? undefined : { kind: 's3', bucket, prefix: withoutSlashesAround(prefix) };
  }
  const [, folder] = FOLDER_ROOT.exec(root) ?? [];
  return folder === undefined || leadsElsewhere(folder)
    ? undefined
    : { kind: 'folder', folder: `/${withoutSlashesAround(folder)}` };
}

/**
 * Joins a document root with a document path.
 * @returns undefined for a path that would leave the root
 */
export function locateDocument(root: DocumentRoot, documentPath: string): DocumentLocation | undefined {
  const path = relativeDocumentPath(documentPath);
  if (path === '' || !isContainedDocumentPath(path)) return undefined;
  if (root.kind === 'folder') return { kind: 'folder', folder: root.folder, path };
  return { kind: 's3', bucket: root.bucket, key: root.prefix === '' ? path : `${root.prefix}/${path}` };
}

function leadsElsewhere(path: string): boolean {
  return path.includes('\0') || path.includes('\\') || path.split('/').includes('..');
}

function withoutSlashesAround(path: string): string {
  return path.replace(/^\/+/, '').replace(/\/+$/, '');
}

/** The describing sets that operators have closed for a supplier: allowed values by set name. */
export type ClosedValueSets = Readonly<Record<string, readonly string[]>>;

/**
 * Finds values outside the sets that are closed for the payload's supplier.
 * @param places paths of the members that use describing sets
 */
export function findClosedValueSetViolations(
  payload: Loose,
  closed: ClosedValueSets | undefined,
  paths: DescribingPaths,
): Violation[] {
  const found: Violation[] = [];
  if (closed === undefined) return found;
  for (const [set, path] of paths) {
    const allowed = ownMember(closed, set);
    // Options stored before validation existed may have any type.
    if (Array.isArray(allowed)) checkPath(payload, path.split('.'), [], allowed, found);
  }
  return found;
}

/** Follows a path into the payload; `*` matches every item. */
function checkPath(
  value: unknown,
  segments: readonly string[],
  path: Path,
  allowed: readonly string[],
  found: Violation[],
): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    if (typeof value === 'string' && value !== '' && !allowed.includes(value)) {
      found.push(violation('invalid_choice', path, `The value is not one of ${allowed.join(', ')}.`));
    }
  } else if (segment === '*') {
    for (const [index, item] of listOf(value).entries()) checkPath(item, rest, [...path, index], allowed, found);
  } else {
    checkPath(membersIn(value)[segment], rest, [...path, segment], allowed, found);
  }
}
