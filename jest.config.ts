/** Folders of tests that start no server. A run of these alone starts none; all others share one Postgres and one Temporal. */
const UNIT_FOLDERS = ['local-stack', 'replay', 'rules', 'tidy', 'vendors'];

const NATIVE = '<rootDir>/test/tidy/native-transform.mjs';
const LARGE_PACKAGES = '(?:@temporalio|@mikro-orm|ajv|libphonenumber-js|pg|pino|typebox)';

const common = {
  rootDir: '.',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/tidy/strip-transform.mjs' },
};

export default {
  // Six at once on two cores: much of the time is waiting. A worker that grew large is replaced, which costs three seconds.
  maxWorkers: 6,
  workerIdleMemoryLimit: '7%',
  // Ends a test that hangs, and measures none: the same test takes ten times longer on two busy cores.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/tidy/longest-first.ts',
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
      testEnvironment: '<rootDir>/test/tidy/native-environment.mjs',
      transform: {
        '(?<!/test)/(?:src|activities|workflows)/.*\\.ts$|/temporal\\.config\\.ts$': NATIVE,
        '/test/support/(?:command-here|openapi-check|openapi-document|temporal-runtime)\\.ts$': NATIVE,
        [`/node_modules/${LARGE_PACKAGES}/`]: NATIVE,
        ...common.transform,
      },
      transformIgnorePatterns: [`/node_modules/(?!${LARGE_PACKAGES}/)`],
      globalSetup: '<rootDir>/test/support/start-servers.ts',
      globalTeardown: '<rootDir>/test/support/stop-servers.ts',
    },
  ],
};
