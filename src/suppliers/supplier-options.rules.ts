import { isJsonObject } from '../vocabulary/loose-payload.ts';
import { tableOf } from '../vocabulary/table.ts';
import { describingSets } from '../vocabulary/value-sets.ts';
import { shownName, violation, type Path, type Violation } from '../vocabulary/violations.ts';
import type { ClosedValueSets } from './closed-value-set.rules.ts';
import { parseDocumentRoot } from './document-root.rules.ts';
import type { PutImportSupplier } from './import-supplier.schema.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';

/** What operators may set for a supplier, each with its check; null takes an option away. */
const OPTIONS = tableOf<(value: unknown, path: Path) => Violation[]>({
  check_documents: yesOrNo,
  closed_value_sets: closedValueSets,
  industry_switch: yesOrNo,
  null_means_absent: yesOrNo,
  open_batches_max: wholeNumberUpTo(10_000),
  requests_per_second: wholeNumberUpTo(10_000),
  staged_accounts_max: wholeNumberUpTo(10_000_000),
});

const VALUE_LENGTH_MAX = 128;

/**
 * What is wrong with an operator's change of a supplier beyond its form. A misspelt option or a value of another type would
 * be kept and not be in force; requests of the supplier would then be judged otherwise than the operator believes.
 */
export function findSupplierViolations({ document_root: root, options }: PutImportSupplier): Violation[] {
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
    const check = OPTIONS.get(name);
    if (check === undefined) {
      found.push(
        violation('invalid', path, `There is no such option; the options are ${[...OPTIONS.keys()].join(', ')}.`),
      );
    } else if (value !== null) found.push(...check(value, path));
  }
  return found;
}

function yesOrNo(value: unknown, path: Path): Violation[] {
  return typeof value === 'boolean' ? [] : [violation('invalid', path, 'This option is true or false.')];
}

function wholeNumberUpTo(max: number): (value: unknown, path: Path) => Violation[] {
  return (value, path) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max
      ? []
      : [violation('invalid', path, `This option is a whole number from 1 to ${max}; null takes the limit away.`)];
}

/** Sets by name, each with the only values that are taken. */
function closedValueSets(value: unknown, path: Path): Violation[] {
  if (!isJsonObject(value)) {
    return [
      violation(
        'invalid',
        path,
        'This option is an object: the name of a set, and a list of the only values that are taken.',
      ),
    ];
  }
  return Object.entries(value).flatMap(([set, values]) => {
    const place = [...path, shownName(set)];
    if (!Object.hasOwn(describingSets, set)) {
      return [
        violation('invalid', place, `There is no such set; the sets are ${Object.keys(describingSets).join(', ')}.`),
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
            place,
            `A closed set is a list of the values that are taken, each of 1 to ${VALUE_LENGTH_MAX} characters.`,
          ),
        ];
  });
}

/** The describing sets that operators have closed for a supplier: option `closed_value_sets`. */
export function closedValueSetsOf(supplier: KnownSupplier | undefined): ClosedValueSets | undefined {
  return supplier?.options['closed_value_sets'] as ClosedValueSets | undefined;
}

/** Whether operators want each document path of a supplier to be looked up before it is taken: option `check_documents`. */
export function checksDocuments(supplier: KnownSupplier): boolean {
  return supplier.options['check_documents'] === true;
}

/** How the payloads of a supplier are read: with option `null_means_absent` a null counts as not sent. */
export function readingOptionsOf(supplier: KnownSupplier | undefined): { nullMeansAbsent: boolean } {
  return { nullMeansAbsent: supplier?.options['null_means_absent'] === true };
}
