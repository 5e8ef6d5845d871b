import type { Words } from '../../vocabulary/french-site.ts';
import { count } from '../frame/cells.ts';
import { t } from '../frame/language.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';

const number = (value: unknown) => (typeof value === 'number' ? count(value) : String(value));
const names = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value));

/** What an option does, by its name: for `true` or a value, and for `false`. */
const WORDS = new Map<string, readonly [set: (value: unknown) => string, off?: Words]>(
  Object.entries({
    check_documents: [
      () => t('Each document path is looked up in the object store.'),
      'Document paths are not looked up.',
    ],
    closed_value_sets: [(value) => t('Only these values are accepted: {values}.', { values: setsOf(value) })],
    creation_requires_approval: [
      () => t('Another person must approve a wave before its accounts are created.'),
      'Waves are created without approval.',
    ],
    industry_switch: [
      () => t('Switches are requested after creation.'),
      'No switch is requested: accounts stay PENDING until a market message arrives.',
    ],
    null_means_absent: [() => t('Null counts as an absent field.'), 'Null does not count as an absent field.'],
    open_batches_max: [
      (value) => t('At most {most} batches of supply points are in progress.', { most: number(value) }),
    ],
    open_value_sets: [(value) => t('Unknown values are kept, with a warning, in: {values}.', { values: names(value) })],
    requests_per_second: [(value) => t('At most {most} requests per second.', { most: number(value) })],
    staged_accounts_max: [(value) => t('At most {most} accounts are staged and not created.', { most: number(value) })],
  } satisfies Record<string, readonly [(value: unknown) => string, Words?]>),
);

/** An option of an import supplier as a sentence. */
export function optionInWords(option: string, value: unknown): string {
  const [set, off] = WORDS.get(option) ?? [];
  if (value === false && off !== undefined) return t(off);
  return set === undefined ? `${option}: ${JSON.stringify(value)}` : set(value);
}

function setsOf(value: unknown): string {
  return Object.entries((value ?? {}) as Record<string, unknown>)
    .map(([set, values]) => `${set.replaceAll('_', ' ')}: ${names(values)}`)
    .join('; ');
}

/** The color of each status of an import supplier. */
export const SUPPLIER_TONES = { Ongoing: 'good', Paused: 'warn', Complete: 'plain' } as const satisfies Record<
  SupplierStatus,
  string
>;
