import type { AcceptedAccount, AcceptedItem, Form, PlannedField } from './accepted-items.rules.ts';
import type { Seal } from './compare-account.rules.ts';

/*
 * Hashes of an accepted payload, kept after the payload is deleted (docs/decisions/0056-retention.md): a few bytes of a keyed hash of each
 * value, in the order of the fields. For the account and each list item, a bitmap marks the fields that had a value, followed by the hashes
 * of these values. The lists and fields are stored once for all accounts, because they change between versions of the service.
 */

/** The lists of a payload and their fields, in the order of the hashes; the first entry is the account itself. */
export type HashLayout = readonly { list: string; fields: readonly string[] }[];

/** Bytes of each hash: the probability of missing a changed value is 1 in 4.3 billion. */
export const HASH_BYTES = 4;
/** The largest number that fits into one byte. */
const SHORT_MAX = 127;

/** The layout of a form. */
export function layoutOf(form: Form): HashLayout {
  const names = (fields: readonly PlannedField[]) => fields.map(({ name }) => name);
  return [
    { list: '', fields: names(form.account.fields) },
    ...form.plans.map(({ path, fields }) => ({ list: path, fields: names(fields) })),
  ];
}

/** Writes the hashes of an account in the layout of its form. @param seal returns `HASH_BYTES` bytes as hexadecimal digits */
export function writeHashes(form: Form, accepted: AcceptedAccount, seal: Seal): Buffer {
  const parts: Buffer[] = [];
  const writeValues = (
    fields: readonly PlannedField[],
    list: string,
    position: number,
    values: AcceptedItem['values'],
  ) => {
    const bits = Buffer.alloc(Math.ceil(fields.length / 8));
    const hashes: Buffer[] = [];
    for (const [index, { name }] of fields.entries()) {
      const value = values[index];
      if (value === undefined) continue;
      bits[index >> 3]! |= 1 << (index & 7);
      hashes.push(Buffer.from(seal(list, position, name, value), 'hex'));
    }
    parts.push(bits, ...hashes);
  };
  writeValues(form.account.fields, '', 0, accepted.values);
  for (const [place, { fields, path }] of form.plans.entries()) {
    const items = accepted.items[place]!;
    parts.push(numberBytes(items.length));
    for (const [position, { above, values }] of items.entries()) {
      parts.push(numberBytes(above ?? 0));
      writeValues(fields, path, position, values);
    }
  }
  return Buffer.concat(parts);
}

/** Encodes a number with seven bits per byte, lowest first; the eighth bit marks that another byte follows. */
function numberBytes(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > SHORT_MAX; rest >>>= 7) bytes.push((rest & SHORT_MAX) | (SHORT_MAX + 1));
  return Buffer.from([...bytes, rest]);
}

/** The hashes of an accepted payload. */
export interface KnownByHashes {
  /** The form, limited to the lists and fields that existed when the hashes were written. */
  form: Form;
  /** The values are hashes. */
  accepted: AcceptedAccount;
}

/** Reads hashes. @param form of the current version. @param layout of the hashes */
export function readHashes(form: Form, layout: HashLayout, bytes: Buffer): KnownByHashes {
  const read = readerOf(bytes);
  const found = new Map<string, { above: number; values: ReadonlyMap<string, string> }[]>();
  for (const [index, { list, fields }] of layout.entries()) {
    const count = index === 0 ? 1 : read.number();
    const items = Array.from({ length: count }, () => ({
      above: index === 0 ? 0 : read.number(),
      values: read.values(fields),
    }));
    found.set(list, items);
  }
  const known = knownForm(form, layout);
  const valuesOf = (fields: readonly PlannedField[], values: ReadonlyMap<string, string> | undefined) =>
    fields.map(({ name }) => values?.get(name));
  const items: AcceptedItem[][] = [];
  for (const { path, above, fields, list } of known.plans) {
    const siblings = new Map<number, number>();
    items.push(
      (found.get(path) ?? []).map((item) => {
        const index = siblings.get(item.above) ?? 0;
        siblings.set(item.above, index + 1);
        const holder = above === undefined ? '' : `${items[above]![item.above]?.path ?? ''}.`;
        return {
          path: `${holder}${list.member}.${index}`,
          at: '',
          above: above === undefined ? undefined : item.above,
          values: valuesOf(fields, item.values),
        };
      }),
    );
  }
  return {
    form: known,
    accepted: { values: valuesOf(known.account.fields, found.get('')![0]?.values), items, unknown: [] },
  };
}

function knownForm(form: Form, layout: HashLayout): Form {
  const fieldsOf = new Map(layout.map(({ list, fields }) => [list, new Set(fields)]));
  const known = (list: string, fields: readonly PlannedField[]) =>
    fields.filter(({ name }) => fieldsOf.get(list)?.has(name));
  return {
    ...form,
    account: { ...form.account, fields: known('', form.account.fields) },
    plans: form.plans.map((plan) => ({
      ...plan,
      fields: known(plan.path, plan.fields),
      isLeftOut: !fieldsOf.has(plan.path),
    })),
  };
}

function readerOf(bytes: Buffer) {
  let at = 0;
  return {
    number: (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at]!;
        at += 1;
        value |= (byte & SHORT_MAX) << shift;
        if (byte <= SHORT_MAX) return value;
      }
    },
    values: (fields: readonly string[]): ReadonlyMap<string, string> => {
      const bits = bytes.subarray(at, (at += Math.ceil(fields.length / 8)));
      const values = new Map<string, string>();
      for (const [index, name] of fields.entries()) {
        if ((bits[index >> 3]! & (1 << (index & 7))) === 0) continue;
        values.set(name, bytes.toString('hex', at, (at += HASH_BYTES)));
      }
      return values;
    },
  };
}
