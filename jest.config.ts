/** Folders of tests that start no server. A run of these alone starts none; all others share one Postgres and one Temporal. */
const UNIT_FOLDERS = ['local-stack', 'replay', 'rules', 'tidy', 'vendors'];

const common = {
  rootDir: '.',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/tidy/strip-transform.mjs' },
};

export default {
  // Two at once: the servers share the machine with the tests. A worker that grew large is replaced.
  maxWorkers: 2,
  workerIdleMemoryLimit: '900MB',
  testTimeout: 60_000,
  coverageProvider: 'v8',
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
