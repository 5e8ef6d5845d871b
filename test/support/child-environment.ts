/**
 * The environment of child processes of a test: the search path, Node's compile cache of the run, which lets the second
 * child of a program start faster, and the workflow code, which is built once for all workers.
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['TEST_COMPILE_CACHE'],
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    // Not inherited; a test may set it for its own process.
    TEMPORAL_DEBUG: undefined,
  };
}
