// Runs a test file in Node itself, with Jest's own framework. Jest's default runner loads the file, its imports and
// the framework into a sandbox, which takes longer than most files' tests; here a worker process loads each module
// once for all its files. The price: changes of shared modules and globals persist, and no module can be mocked.
import { createRequire, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import { endWaits } from '../support/until.ts';

const GLOBALS = new URL('native-globals.mjs', import.meta.url).href;
const FRAMEWORK = join(
  dirname(createRequire(import.meta.url).resolve('jest-circus/package.json')),
  'build/jestAdapterInit.js',
);

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

// Workflows of tests run on this thread (start-servers.ts), where Temporal's SDK would inspect each promise of the
// process twice, to find where a workflow waits. No test uses that.
v8.promiseHooks.createHook = () => () => {};

const STACK_FRAMES = 10;

/** Jest calls this for each file with these parameters; returns the file's result in Jest's form. */
export default async function runFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const before = { console: globalThis.console, env: { ...process.env }, keys: new Set(Reflect.ownKeys(globalThis)) };
  const timers = new environment.fakeTimersModern.constructor({ config, global: globalThis });
  const { initialize, runAndTransformResultsToJestFormat } = loadFramework();
  // The framework stores the file's tests under these.
  const added = Reflect.ownKeys(globalThis).filter((key) => !before.keys.has(key));
  globalThis.console = environment.global.console;
  // Node's default. Jest reads a hundred frames of each error, and looks for a source map of each file; types are
  // stripped in place, so there is none.
  Error.stackTraceLimit = STACK_FRAMES;
  Error.prepareStackTrace = undefined;
  try {
    const { snapshotState } = await initialize({
      config,
      environment,
      globalConfig,
      localRequire: runtime.requireModule.bind(runtime),
      parentProcess: process,
      runtime,
      sendMessageToJest,
      setGlobalsForRuntime: (globals) => {
        globalThis.jestGlobals = { ...globals, timers };
      },
      testPath,
    });
    globalThis.jestGlobals.afterEach(endWaits);
    await import(pathToFileURL(testPath).href);
    const result = await runAndTransformResultsToJestFormat({ config, globalConfig, testPath });
    snapshotState.save();
    return result;
  } finally {
    timers.dispose();
    globalThis.console = before.console;
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    for (const key of [...added, 'jestGlobals']) Reflect.deleteProperty(globalThis, key);
  }
}

/** The framework without any tests: it holds those of one file at a time. */
function loadFramework() {
  // A module that requires it keeps it with all its tests, so each file gets a new instance.
  const load = createRequire(import.meta.url);
  delete load.cache[FRAMEWORK];
  return load(FRAMEWORK);
}
