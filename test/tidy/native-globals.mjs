// The `@jest/globals` of tests (native-runner.mjs): always those of the running file, also in modules that several
// files share.
const ofFile = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _this, given) => globalThis.jestGlobals[name](...given),
    get: (_target, key) => Reflect.get(globalThis.jestGlobals[name], key),
  });

export const [afterAll, afterEach, beforeAll, beforeEach, describe, expect, test] = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'test',
].map(ofFile);

/** Of `jest` only the timers, which is all that tests use. */
export const jest = Object.fromEntries(
  ['advanceTimersByTimeAsync', 'useFakeTimers', 'useRealTimers'].map((name) => [
    name,
    (...given) => globalThis.jestGlobals.timers[name](...given),
  ]),
);
