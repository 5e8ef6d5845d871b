import { type AcceptedContext, type Item, type StoredField, type StoredList, acceptedValue } from './form.rules.ts';

/** A field, prepared for frequent reads. */
export interface PlannedField extends StoredField {
  /** Its index among the columns that are read of a row. */
  place: number;
  /** Identifies the field in its list. */
  name: string;
  /** Its index among all hashed fields; undefined for a column that follows from other data. */
  hashed: number | undefined;
  /** The last part of its path. */
  ending: string;
  segments: readonly string[];
}

/** A list of the payload with its table. */
export interface Plan {
  list: StoredList;
  segments: readonly string[];
  fields: readonly PlannedField[];
  hashedFields: readonly PlannedField[];
  /** Hashed fields whose values can follow from other data. */
  derivable: readonly PlannedField[];
  /** The plans of the lists in its items, as indexes. */
  below: readonly number[];
  above: number | undefined;
  /** Known members of an item, down to each field and list; null marks a field or list. */
  known: KnownMembers;
  /** The path of the list in the payload, with the lists above it. */
  path: string;
  /** The stored hashes do not cover this table, so it is not compared. */
  isLeftOut?: boolean;
}

interface KnownMembers {
  [member: string]: KnownMembers | null;
}

/** The form of a payload, prepared for comparisons. */
export interface Form {
  account: {
    fields: readonly PlannedField[];
    hashedFields: readonly PlannedField[];
    below: readonly number[];
    known: KnownMembers;
  };
  plans: readonly Plan[];
  /** The path of each hashed field, with `*` for list indexes. */
  hashedPaths: readonly string[];
  /** The names of sums of money, by index in `hashedPaths`. */
  sums: ReadonlyMap<number, string>;
  /** Hashes a value, for rows that were added later. */
  hashOf: HashOfValue;
  /** If each item of the first list is hashed alone: the index of the field that identifies it. */
  keyField: number | undefined;
}

/** Returns the hash of a value of a later row, as hexadecimal digits. */
export type HashOfValue = (member: string, value: string | undefined) => string;

/**
 * Prepares a form for comparisons.
 * @param key set if each item of the first list is hashed alone: the member that identifies it
 */
export function planForm(
  accountFields: readonly StoredField[],
  lists: readonly StoredList[],
  hashOf: HashOfValue,
  key?: string,
): Form {
  const plans: Plan[] = [];
  const hashedPaths: string[] = [];
  const sums = new Map<number, string>();
  const planFields = (fields: readonly StoredField[] = [], path: string): PlannedField[] =>
    fields.map((field, index) => {
      const ending = field.member === '' ? '' : `.${field.member}`;
      const hasDigest = field.follows === undefined || (field.form === 'instant' && field.member !== '');
      const hashed = hasDigest ? hashedPaths.push((path + ending).slice(1)) - 1 : undefined;
      if (hashed !== undefined && field.sum !== undefined) sums.set(hashed, field.sum);
      const name = `${field.member}|${field.column}`;
      return { ...field, place: index, name, ending, segments: segmentsOf(field.member), hashed };
    });
  const add = (list: StoredList, above: number | undefined, pathAbove: string): number => {
    const path = `${pathAbove}.${list.member}.*`;
    const place = plans.push(undefined as never) - 1;
    const fields = planFields(list.fields, path);
    const below = (list.lists ?? []).map((inner) => add(inner, place, path));
    const segments = segmentsOf(list.member);
    const hashedFields = fields.filter(isHashed);
    const derivable = hashedFields.filter(({ follows }) => follows !== undefined);
    const known = knownMembers(list);
    plans[place] = { list, segments, fields, hashedFields, derivable, below, above, known, path: path.slice(1) };
    return place;
  };
  const fields = planFields(accountFields, '');
  const below = lists.map((list) => add(list, undefined, ''));
  const account = { fields, hashedFields: fields.filter(isHashed), below, known: knownMembers({ fields, lists }) };
  const keyField = key === undefined ? undefined : plans[0]!.fields.findIndex(({ member }) => member === key);
  return { account, plans, hashedPaths, sums, hashOf, keyField };
}

function isHashed({ hashed }: PlannedField): boolean {
  return hashed !== undefined;
}

function segmentsOf(member: string): string[] {
  return member === '' ? [] : member.split('.');
}

function knownMembers({ fields = [], lists = [] }: Pick<StoredList, 'fields' | 'lists'>): KnownMembers {
  const known: KnownMembers = {};
  for (const { member } of [...fields, ...lists]) {
    const segments = segmentsOf(member);
    const last = segments.pop();
    if (last === undefined) continue;
    let at = known;
    for (const segment of segments) at = at[segment] ??= {};
    at[last] ??= null;
  }
  return known;
}

/** An accepted item of a list: its path, and the values of its row in the order of the fields. */
export interface AcceptedItem {
  path: string;
  /** Its hashed position: the indexes in its path, such as `0.2`. */
  at: string;
  /** Index of the parent row in its table. */
  above: number | undefined;
  values: readonly (string | undefined)[];
  /** Indexes of hashed values that were not sent and follow from other data. */
  derived?: ReadonlySet<number>;
}

/** The accepted items of each table: the index of an item is the position of its row. */
export interface AcceptedAccount {
  values: readonly (string | undefined)[];
  items: readonly AcceptedItem[][];
  /** Members that no column stores. */
  unknown: string[];
}

/** Reads an accepted payload. */
export function readAccepted(form: Form, payload: Item, context: AcceptedContext): AcceptedAccount {
  const items: AcceptedItem[][] = form.plans.map(() => []);
  const unknown: string[] = [];
  const valuesOf = (fields: readonly PlannedField[], item: Item, index: number) =>
    fields.map(({ follows, segments, form: valueForm, absent }) => {
      const sent = follows === undefined ? memberAt(item, segments) : follows(item, context, index);
      return acceptedValue(valueForm, sent) ?? absent;
    });
  const walk = (place: number, holder: Item, path: string, above: number | undefined, atAbove: string): void => {
    const { segments, list, fields, derivable, below, known } = form.plans[place]!;
    const sent = memberAt(holder, segments);
    if (!Array.isArray(sent)) return;
    for (const [index, item] of (sent as Item[]).entries()) {
      const itemPath = `${path}${list.member}.${index}`;
      const derived = derivable.length === 0 ? undefined : derivedIn(derivable, item);
      const at = positionOf(form, above, atAbove, index);
      const accepted = {
        path: itemPath,
        at,
        above,
        values: valuesOf(fields, item, index),
        ...(derived && { derived }),
      };
      const position = items[place]!.push(accepted) - 1;
      // If the item itself is the value, all of it is compared.
      if (fields[0]?.member !== '') findUnknown(item, known, `${itemPath}.`, unknown);
      for (const inner of below) walk(inner, item, `${itemPath}.`, position, at);
    }
  };
  for (const place of form.account.below) walk(place, payload, '', undefined, '');
  findUnknown(payload, form.account.known, '', unknown);
  return { values: valuesOf(form.account.fields, payload, 0), items, unknown };
}

/** An item that is hashed alone has no position, because its index depends on the items before it. */
function positionOf({ keyField }: Form, above: number | undefined, atAbove: string, index: number): string {
  if (above === undefined) return keyField === undefined ? String(index) : '';
  return atAbove === '' ? String(index) : `${atAbove}.${index}`;
}

/** Finds hashed fields whose values follow from other data because the item does not have them. */
function derivedIn(derivable: readonly PlannedField[], item: Item): ReadonlySet<number> | undefined {
  const derived = derivable.filter(({ segments }) => isNothing(memberAt(item, segments)));
  return derived.length === 0 ? undefined : new Set(derived.map(({ place }) => place));
}

/** The member at a path in an item. */
export function memberAt(item: Item, segments: readonly string[]): unknown {
  let value: unknown = item;
  for (let index = 0; index < segments.length; index += 1) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Item)[segments[index]!];
  }
  return value;
}

function findUnknown(item: Item, known: KnownMembers, path: string, found: string[]): void {
  for (const member in item) {
    const value = item[member];
    const expected = Object.hasOwn(known, member) ? known[member] : undefined;
    if (expected === null || isNothing(value)) continue;
    if (expected === undefined) found.push(path + member);
    else findUnknown(value as Item, expected, `${path}${member}.`, found);
  }
}

/** Empty values are not stored, so an unknown member without a value is not reported. */
function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (typeof value === 'object' && !JSON.isRawJSON(value) && Object.keys(value).length === 0)
  );
}
