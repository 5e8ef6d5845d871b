import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

test('makes the files of the local Postgres and Temporal readable by their owner only', () => {
  const folder = process.env['TEST_FOLDER'] as string;
  const files = readdirSync(folder).filter((name) => /^temporal\.db|password$|\.log$/.test(name));
  expect(files).toEqual(
    expect.arrayContaining(['postgres-app-password', 'postgres-password', 'temporal.db', 'temporal.log']),
  );
  expect(files.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
});
