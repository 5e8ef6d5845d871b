/**
 * What each child of a test inherits of this environment: where programs lie, and where Node keeps the compiled code of the run, so
 * that the second child of a program starts sooner; and where workers find the workflow code, made once for all.
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['TEST_COMPILE_CACHE'],
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    // A test may add these to all of its own environment.
    TEMPORAL_DEBUG: undefined,
  };
}
