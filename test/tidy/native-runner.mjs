// Runs a file of tests in Node itself, with Jest's own framework. Jest by itself would load the file, what it imports and the framework
// into a sandbox of its own, which takes longer than most files' tests; here a worker process loads each module once for all its files.
// The price: what a file changes in shared modules and globals stays, and no module can be mocked.
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

// Workflows of tests run on this thread (start-servers.ts), where Temporal's SDK would look at each promise of the process, twice, to tell
// where a workflow waits. No test asks for that.
v8.promiseHooks.createHook = () => () => {};

const STACK_FRAMES = 10;

/** What Jest calls for each file, with its parameters; gives the file's result in Jest's form. */
export default async function runFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const before = { console: globalThis.console, env: { ...process.env }, keys: new Set(Reflect.ownKeys(globalThis)) };
  const timers = new environment.fakeTimersModern.constructor({ config, global: globalThis });
  const { initialize, runAndTransformResultsToJestFormat } = loadFramework();
  // The framework keeps the file's tests under these.
  const added = Reflect.ownKeys(globalThis).filter((key) => !before.keys.has(key));
  globalThis.console = environment.global.console;
  // As Node has it. Jest takes a hundred frames of each error, and looks for a source map behind each file; types are taken out in place,
  // so there is none.
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

/** The framework without any tests: it has those of one file at a time. */
function loadFramework() {
  // Whoever requires it keeps it, with all its tests: so it is somebody new each time.
  const load = createRequire(import.meta.url);
  delete load.cache[FRAMEWORK];
  return load(FRAMEWORK);
}
