import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { stageAccounts } from './load.ts';
import { startStack, type Stack } from './stack.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';

const ACCOUNTS = 60;
/** Generous: a lease of ten seconds, a tenth of a second for each start, and the one that was being started at that moment is looked at again. */
const TAKEN_OVER_WITHIN_MS = 120_000;
/** What a frozen worker has in hand is not given to another before its time is over, a minute later: two creations, and what it was about to start. */
const IN_HAND_MAX = 4;
/** Short, so that nobody waits for the next round, nor for the second look at what a frozen worker was about to start. */
const PACE = { DISPATCH_EVERY_MS: '1000', WORK_RETRY_SECONDS: '10' };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack(PACE);
});
afterAll(async () => {
  await stack?.stop();
});

const owed = async () =>
  Number(
    (await stack.query<{ count: string }>(`select count(*) from work_item where kind = 'create-account'`))[0]?.count,
  );

/** Work as a quarantined account leaves it behind when Temporal has lost its run. */
const owe = async (numbers: readonly string[]) => {
  await stack.query(
    `update import_process set workflow_id = 'create-account/SUPPLIER_FR/' || external_account_number where external_account_number = any($1)`,
    [numbers],
  );
  await stack.query(
    `insert into work_item (workflow_id, kind, input, start_at)
     select 'create-account/SUPPLIER_FR/' || n, 'create-account', jsonb_build_object('creationId', gen_random_uuid(), 'importSupplier', 'SUPPLIER_FR', 'externalAccountNumber', n, 'operationsTeam', 'Migration'), now()
     from unnest($1::text[]) n`,
    [numbers],
  );
};

const saysThatItStopped = (pid: number) =>
  readFileSync(join(stack.folder, 'worker.log'), 'utf8')
    .split('\n')
    .some((line) => line.includes(`"pid":${pid},`) && /has taken over the round meanwhile|round put off/.test(line));

test('a worker that is frozen while it starts due work is replaced within seconds, and does no harm when it thaws', async () => {
  const numbers = await stageAccounts(stack, ACCOUNTS);
  await owe(numbers);
  await until(async () => (await owed()) < ACCOUNTS - 10);
  const frozen = stack.process('worker').pid;
  process.kill(frozen, 'SIGSTOP');
  try {
    await stack.startMore('worker', {});
    const left = await owed();
    expect(left).toBeGreaterThan(2 * IN_HAND_MAX);
    const startedAt = performance.now();
    await until(async () => (await owed()) <= IN_HAND_MAX || performance.now() - startedAt > TAKEN_OVER_WITHIN_MS, 250);
    if (process.env['FIGURES']) {
      process.stderr.write(
        `frozen dispatcher: ${left} left; ${await owed()} after ${Math.round(performance.now() - startedAt)} ms\n`,
      );
    }
    expect(await owed()).toBeLessThanOrEqual(IN_HAND_MAX);
  } finally {
    process.kill(frozen, 'SIGCONT');
  }
  // It tells that its round is over, either way: it finds another in its place, or its connection gone.
  await until(() => saysThatItStopped(frozen));
  await until(async () => (await owed()) === 0, 250);
  const accounts = await stack.query<{ external: string; number: string }>(
    'select external_account_number as external, number from account',
  );
  await expectEachAccountOnce(
    stack,
    numbers,
    accounts.map(({ external, number }) => ({
      externalAccountNumber: external,
      serviceAccountNumber: number,
      status: 201,
    })),
  );
}, 360_000);
