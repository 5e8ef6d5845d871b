/**
 * A value, or a promise of it. A value that is nearly always there is returned as it is on hot paths: a promise costs half a microsecond.
 * Callers await it in both cases.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies a function to a value, immediately if the value is there. */
export function mapMaybe<Value, Next>(value: MaybePromise<Value>, next: (value: Value) => Next): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
