import { afterAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/platform/database/database.ts';
import { isTransientError } from '../../src/platform/database/faults.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { createTestDatabase } from '../support/test-database.ts';

const clone = await createTestDatabase();
const log = createLog({ level: 'silent', process: 'test' });
const database = await openDatabase({ url: clone.url, entities, poolSize: 1, log, applicationName: 'test' });
afterAll(async () => {
  await database.close();
  await clone.drop();
});

// An unhandled error within the time-out of the pool would end the process.
test('rejects a request that waits too long for a connection, and serves the next one', async () => {
  const held = await database.pool.connect();
  const waiting = [
    database.pool.query('select 1'),
    database.pool.connect(),
    database.transaction(async (em) => em.execute('select 1')),
  ];
  const ended = await Promise.allSettled(waiting).finally(() => held.release());
  expect(ended.map((one) => one.status === 'rejected' && isTransientError(one.reason))).toEqual([true, true, true]);
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
