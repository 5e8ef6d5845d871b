/** A lookup table for keys from outside. */
export type Table<Row> = ReadonlyMap<string, Row>;

/**
 * Creates a lookup table for keys from outside. It is a Map, because plain objects also have `constructor`, `toString` and `__proto__`;
 * test/tidy rejects plain objects here.
 */
export function tableOf<Row>(rows: Readonly<Record<string, Row>>): Table<Row> {
  return new Map(Object.entries(rows));
}

/** Returns an own member of an object; undefined if it is inherited or missing. */
export function ownMember(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;
}
