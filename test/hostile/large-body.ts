import { domesticAccount } from '../support/account-payload.ts';

// Common parts of bodies of the largest accepted size.

/** Requests of one form, which are sent together. */
export interface Shape {
  name: string;
  path: string;
  make: (sequence: number) => string | object;
  status: number;
  atOnce?: number;
  isGzipped?: boolean;
  /** Sent and answered before. */
  first?: Shape;
}

const LIMIT = 1_048_576;
/** The members around a list. */
const AROUND_LIST = 8_000;
/** An accepted list has at most 10,000 items. */
export const LIST_ITEMS = 9_900;

const MEASURED_EVERY = 50;

/** As many items as fit into a body beside a small account. */
export function many(item: (index: number) => unknown, mostItems = Number.POSITIVE_INFINITY): unknown[] {
  const items: unknown[] = [];
  let bytes = 0;
  for (let left = LIMIT - AROUND_LIST; left > 0 && items.length < mostItems; left -= bytes) {
    items.push(item(items.length));
    // Neighbours differ by digits only and are equally long; serializing each one took longer than sending them.
    if (items.length % MEASURED_EVERY === 1) bytes = Buffer.byteLength(JSON.stringify(items.at(-1))) + 1;
  }
  return items.slice(0, -1);
}

/** A small account of the import supplier SUPPLIER_FR. */
export const small = (overrides: object = {}, sequence = 1) =>
  domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: `L-${sequence}`, ...overrides }, sequence);

/** An existing account, and an unknown one. */
export const attachedTo = (sequence: number) => ({
  import_supplier: 'SUPPLIER_FR',
  external_account_number: `BIG-${sequence}`,
});
export const UNKNOWN_ACCOUNT = { import_supplier: 'SUPPLIER_FR', external_account_number: 'NONE' };

/** Unknown members of an object. */
export const unknownMembers = (count: number) =>
  Array.from({ length: count }, (_, index) => `"k${index.toString(36).padStart(5, '0')}ab":12345`).join(',');

/** The body's text, with each HALF replaced by half of a surrogate pair. */
export const withHalves = (body: object) => JSON.stringify(body).replaceAll('HALF', '\\ud800');

/** Bodies for any operation with a name and a list, which all of them reject. */
export function refusedAnywhere(path: string, named: object, list: string): Shape[] {
  const [start] = JSON.stringify(named).split('}') as [string];
  const listOf = (item: string, count: number) => `${start},"${list}":[${Array(count).fill(item).join(',')}]}`;
  const shapes: Omit<Shape, 'path'>[] = [
    { name: '500,000 lists in lists', make: () => '['.repeat(500_000) + ']'.repeat(500_000), status: 400 },
    {
      name: `${LIST_ITEMS} times 28 lists in lists`,
      make: () => listOf('['.repeat(28) + ']'.repeat(28), LIST_ITEMS),
      status: 413,
    },
    { name: '48,000 unknown members', make: () => `${start},${unknownMembers(48_000)}}`, status: 413 },
    { name: '9,500 unknown members', make: () => `${start},${unknownMembers(9_500)}}`, status: 400 },
    { name: '250,000 numbers 1e1', make: () => listOf('1e1', 250_000), status: 413 },
    { name: `${LIST_ITEMS} empty objects`, make: () => listOf('{}', LIST_ITEMS), status: 400 },
  ];
  const operation = path.split('/').slice(3, -1).join('/');
  return shapes.map((shape) => ({ ...shape, path, name: `${shape.name} to ${operation}`, atOnce: 8 }));
}
