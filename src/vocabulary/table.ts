/** A table that is asked by what somebody sent. */
export type Table<Row> = ReadonlyMap<string, Row>;

/**
 * Makes a table that may be asked by what somebody sent: a Map, since a plain object also answers to `constructor`,
 * `toString` and `__proto__`. The tidy suite refuses plain objects here.
 */
export function tableOf<Row>(rows: Readonly<Record<string, Row>>): Table<Row> {
  return new Map(Object.entries(rows));
}

/** A member that an object has of its own; undefined where it is only inherited. */
export function ownMember(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;
}
