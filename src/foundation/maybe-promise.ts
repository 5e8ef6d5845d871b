/**
 * A value, or a promise of it. Hot paths return a value that is usually available without a promise, which would cost half a microsecond.
 * Callers can await both.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies a function to a value, immediately if it is no promise. */
export function mapMaybe<Value, Next>(value: MaybePromise<Value>, next: (value: Value) => Next): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
