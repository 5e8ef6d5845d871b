/**
 * The environment that each child of a test inherits: where programs are, where Node caches the compiled code of the
 * run, so that the second child of a program starts faster; and the workflow code, which is built once for all
 * workers.
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['TEST_COMPILE_CACHE'],
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    // A test may add these to its whole environment.
    TEMPORAL_DEBUG: undefined,
  };
}
