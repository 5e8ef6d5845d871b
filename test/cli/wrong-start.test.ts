import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { childEnvironment } from '../support/child-environment.ts';
import { programFile } from '../support/program-file.ts';

test.each<[string, string[], string]>([
  ['up.ts', ['--port=1'], 'There is no argument "--port=1". See npm start -- --help'],
  ['demo.ts', ['--exti'], 'There is no argument "--exti". See npm run demo -- --help'],
])('%s %j starts nothing and says where the help is', (program, args, sentence) => {
  // A folder that cannot be made keeps a start that would go on from starting anything.
  const environment = { ...childEnvironment(), DATA_DIR: '/dev/null/none', TMPDIR: '/dev/null/none' };
  const ran = spawnSync(process.execPath, [join(import.meta.dirname, '../../src/processes', program), ...args], {
    env: environment,
    encoding: 'utf8',
  });
  expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(sentence) });
});

test('migrate says in one sentence that the database is away', async () => {
  const environment = { ...childEnvironment(), DATABASE_URL: 'postgresql://gangway:x@127.0.0.1:9/gangway' };
  const ran = spawnSync(process.execPath, [await programFile('migrate')], { env: environment, encoding: 'utf8' });
  expect(ran).toMatchObject({
    status: 1,
    stdout: '',
    stderr:
      'The database cannot be used now (ECONNREFUSED). Check that Postgres runs and what DATABASE_URL says, then start this again.\n',
  });
});

test('an API does not start behind TLS without knowing how many proxies there are, and says why', async () => {
  const environment = {
    ...childEnvironment(),
    DATABASE_URL: 'postgresql://gangway:x@127.0.0.1:9/gangway',
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    HTTP_BEHIND_TLS: 'true',
    HTTP_PROXIES: '0',
  };
  const ran = spawnSync(process.execPath, [await programFile('api')], {
    env: environment,
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(ran).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Setting HTTP_PROXIES=0 does not go with HTTP_BEHIND_TLS=true: .* Example: HTTP_PROXIES=1\n$/,
    ),
  });
});
