/**
 * A value that is there, or comes. What stands on the way of every request and nearly always is there is returned as it is: a promise for it takes
 * half a microsecond. Whoever asks awaits it either way.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value, at once where it is there. A promise is one of the language's own. */
export function goOnWith<Value, Next>(value: Soon<Value>, next: (value: Value) => Next): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
