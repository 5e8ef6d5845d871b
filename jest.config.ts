export default {
  rootDir: '.',
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/tidy/strip-transform.mjs' },
  globalSetup: '<rootDir>/test/support/start-servers.ts',
  globalTeardown: '<rootDir>/test/support/stop-servers.ts',
  coverageProvider: 'v8',
  // Two at once: the servers share the machine with the tests. A worker that grew large is replaced.
  maxWorkers: 2,
  workerIdleMemoryLimit: '900MB',
  testTimeout: 60_000,
};
