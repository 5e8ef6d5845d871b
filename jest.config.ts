/** Folders of tests that start no server. A run of these alone starts none; all others share one Postgres and one Temporal. */
const UNIT_FOLDERS = ['local-stack', 'replay', 'rules', 'tidy', 'vendors'];

const common = {
  rootDir: '.',
  testEnvironment: 'node',
  testRunner: '<rootDir>/test/tidy/native-runner.mjs',
  transform: {},
};

export default {
  // Six at once on two cores: much of the time is waiting. A worker that grew large is replaced, which costs three seconds.
  maxWorkers: 6,
  workerIdleMemoryLimit: '10%',
  // Six large processes that end at once on two cores take longer than the half second after which Jest calls one a leak.
  workerGracefulExitTimeout: 10_000,
  // Ends a test that hangs, and measures none: the same test takes ten times longer on two busy cores.
  testTimeout: 180_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: UNIT_FOLDERS.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
    },
    {
      ...common,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: UNIT_FOLDERS.map((folder) => `<rootDir>/test/${folder}/`),
      globalSetup: '<rootDir>/test/support/start-servers.ts',
      globalTeardown: '<rootDir>/test/support/stop-servers.ts',
    },
  ],
};
