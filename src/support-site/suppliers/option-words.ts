import { count } from '../frame/cells.ts';

const number = (value: unknown) => (typeof value === 'number' ? count(value) : String(value));
const names = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value));

/** What an option does, by its name: for `true` or a value, and for `false`. */
const WORDS = new Map<string, readonly [set: (value: unknown) => string, off?: string]>(
  Object.entries({
    check_documents: [
      () => 'Each document path is looked up in the object store.',
      'Document paths are not looked up.',
    ],
    closed_value_sets: [(value) => `Only these values are accepted: ${setsOf(value)}.`],
    creation_requires_approval: [
      () => 'Another person must approve a wave before its accounts are created.',
      'Waves are created without approval.',
    ],
    industry_switch: [
      () => 'Switches are requested after creation.',
      'No switch is requested: accounts stay PENDING until a market message arrives.',
    ],
    null_means_absent: [() => 'Null counts as an absent field.', 'Null does not count as an absent field.'],
    open_batches_max: [(value) => `At most ${number(value)} batches of supply points are in progress.`],
    open_value_sets: [(value) => `Unknown values are kept, with a warning, in: ${names(value)}.`],
    requests_per_second: [(value) => `At most ${number(value)} requests per second.`],
    staged_accounts_max: [(value) => `At most ${number(value)} accounts are staged and not created.`],
  } satisfies Record<string, readonly [(value: unknown) => string, string?]>),
);

/** An option of an import supplier as a sentence. */
export function optionInWords(option: string, value: unknown): string {
  const [set, off] = WORDS.get(option) ?? [];
  if (value === false && off !== undefined) return off;
  return set === undefined ? `${option}: ${JSON.stringify(value)}` : set(value);
}

function setsOf(value: unknown): string {
  return Object.entries((value ?? {}) as Record<string, unknown>)
    .map(([set, values]) => `${set.replaceAll('_', ' ')}: ${names(values)}`)
    .join('; ');
}
