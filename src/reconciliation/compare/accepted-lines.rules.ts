import { hash } from 'node:crypto';
import { beginTexts, endText, type Sum, writeByte, writeText } from './sha256.rules.ts';
import { memberAt, type Form, type PlannedField } from './accepted-items.rules.ts';
import { canonicalJsonOf } from './canonical-json.rules.ts';
import { type AcceptedContext, type Item, acceptedValue } from './form.rules.ts';
import { headOf } from './hashed-lines.rules.ts';

/*
 * Hashes payloads without the items that a comparison needs, because `manifest` reads millions of payloads. A test requires the digests of a
 * comparison.
 */

/** No value that was sent follows from it. */
const NO_CONTEXT: AcceptedContext = { phoneNumbers: [], documentRoot: null, createdAt: '', importedAt: undefined };

/** An item of a list in a payload. */
interface Place {
  item: Item;
  /** In its list. */
  index: number;
  /** Its hashed position. */
  at: string;
}

/** What is hashed together: a whole payload, or an item of the first list. */
interface Unit {
  /** The number that identifies it; empty for a whole payload. */
  key: string;
  /** The fields of the payload itself. */
  fields: readonly PlannedField[];
  /** The items of each list. */
  places: readonly Place[][];
}

function unitsIn(form: Form, payload: Item): Unit[] {
  const { account, plans, keyField } = form;
  if (keyField === undefined) {
    const places = plans.map((): Place[] => []);
    for (const below of account.below) findPlaces(form, below, payload, '', places);
    return [{ key: '', fields: account.hashedFields, places }];
  }
  const { segments, fields, below } = plans[0]!;
  return itemsAt(payload, segments).map((item, index) => {
    const places = plans.map((): Place[] => []);
    // An item that is hashed alone has no position.
    places[0]!.push({ item, index, at: '' });
    for (const inner of below) findPlaces(form, inner, item, '', places);
    return { key: valueOf(fields[keyField]!, item, 0) ?? '', fields: [], places };
  });
}

function findPlaces(form: Form, plan: number, holder: Item, atAbove: string, places: readonly Place[][]): void {
  const { segments, below } = form.plans[plan]!;
  const items = itemsAt(holder, segments);
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]!;
    const at = atAbove === '' ? String(index) : `${atAbove}.${index}`;
    places[plan]!.push({ item, index, at });
    for (let inner = 0; inner < below.length; inner += 1) findPlaces(form, below[inner]!, item, at, places);
  }
}

const NO_ITEMS: readonly Item[] = [];

function itemsAt(holder: Item, segments: readonly string[]): readonly Item[] {
  const sent = memberAt(holder, segments);
  return Array.isArray(sent) ? (sent as Item[]) : NO_ITEMS;
}

/** The text of a hashed field. One that follows from other data, because it was not sent, is not hashed. */
function valueOf({ follows, segments, form, absent }: PlannedField, item: Item, index: number): string | undefined {
  const sent = memberAt(item, segments);
  if (sent === undefined || sent === null || sent === '') return absent;
  if (form === 'json') return canonicalJsonOf(sent);
  return acceptedValue(form, follows === undefined ? sent : follows(item, NO_CONTEXT, index)) ?? absent;
}

/**
 * Adds the hash of each field of a payload to the sum of the field.
 * @param sums by the index of the field; missing ones are created
 * @param all another sum to which all hashes are added
 */
export function addPayload(
  form: Form,
  external: string,
  payload: Item,
  sumOf: (field: number) => Sum,
  all?: Sum,
): void {
  const { plans } = form;
  for (const { key, fields, places } of unitsIn(form, payload)) {
    beginTexts(headOf(external, key));
    const whole = [{ item: payload, index: 0, at: '' }];
    for (let field = 0; field < fields.length; field += 1) addField(fields[field]!, whole, sumOf, all);
    for (let plan = 0; plan < plans.length; plan += 1) {
      const { hashedFields } = plans[plan]!;
      if (places[plan]!.length === 0) continue;
      for (let field = 0; field < hashedFields.length; field += 1) {
        addField(hashedFields[field]!, places[plan]!, sumOf, all);
      }
    }
  }
}

const TAB = 9;
const LINE_FEED = 10;

function addField(field: PlannedField, places: readonly Place[], sumOf: (field: number) => Sum, all?: Sum): void {
  let isEmpty = true;
  for (let place = 0; place < places.length; place += 1) {
    const { item, index, at } = places[place]!;
    const value = valueOf(field, item, index);
    if (value === undefined) continue;
    isEmpty = false;
    writeText(at);
    writeByte(TAB);
    writeText(value);
    writeByte(LINE_FEED);
  }
  if (!isEmpty) endText(sumOf(field.hashed!), all);
}

/**
 * Hashes each value of a payload alone, to find the values in which two payloads of an account differ.
 * @returns SHA-256 by path; a transaction has its id instead of its index
 */
export function hashesOfValues(form: Form, external: string, payload: Item): [path: string, sha256: string][] {
  const found: [string, string][] = [];
  const add = (key: string, field: PlannedField, { item, index, at }: Place) => {
    const value = valueOf(field, item, index);
    if (value === undefined) return;
    const indexes = [...(key === '' ? [] : [key]), ...(at === '' ? [] : at.split('.'))];
    const path = form.hashedPaths[field.hashed!]!.replaceAll('*', () => indexes.shift() ?? '*');
    found.push([path, hash('sha256', `${headOf(external, key)}${at}\t${value}\n`)]);
  };
  for (const { key, fields, places } of unitsIn(form, payload)) {
    for (const field of fields) add(key, field, { item: payload, index: 0, at: '' });
    for (const [plan, { hashedFields }] of form.plans.entries()) {
      for (const field of hashedFields) for (const place of places[plan]!) add(key, field, place);
    }
  }
  return found;
}
