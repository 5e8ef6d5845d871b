import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startChild, type RunningProcess } from '../../src/local-stack/running-process.ts';
import { send } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, type Stack } from './stack.ts';

const HEALED_WITHIN_MS = 60_000;

let stack: Stack;
let bare: RunningProcess | undefined;
let operator: string;
beforeAll(async () => {
  stack = await startStack();
  operator = await operatorToken();
});
afterAll(async () => {
  await stack?.stop();
  await bare?.stop();
});

async function operatorToken(): Promise<string> {
  const [organisation, key, token] = [randomUUID(), randomUUID(), `gwa_${randomBytes(32).toString('base64url')}`];
  await stack.query('insert into organisation (id, name) values ($1, $2)', [organisation, 'Operators of the test']);
  await stack.query(
    `insert into api_key (id, organisation_id, name, role, secret_sha256, secret_start) values ($1, $2, 'test', 'operator', $3, 'gwk_test')`,
    [key, organisation, randomBytes(32)],
  );
  await stack.query(
    `insert into access_token (sha256, api_key_id, kind, expires_at) values ($1, $2, 'access', now() + interval '1 hour')`,
    [createHash('sha256').update(token).digest(), key],
  );
  return token;
}

/** A server as it comes up on an empty disk: nobody has registered anything there. */
function startBareServer(): Promise<RunningProcess> {
  const port = stack.temporalAddress.split(':')[1] as string;
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    port,
    '--namespace',
    'default',
    '--db-filename',
    join(stack.folder, 'temporal.db'),
    '--log-level',
    'error',
  ];
  return startChild(process.env['TEST_TEMPORAL_CLI'] as string, args, { stdio: 'ignore' }, [
    { signal: 'SIGTERM', waitMs: 10_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ]);
}

const readyStatus = async () => (await fetch(`${stack.url}/healthz/ready`)).status;
const listStuck = () => send(stack.url, 'GET', '/v1/operations/stuck/', { token: operator });
const create = async (external_account_number: string) =>
  (
    await send(stack.url, 'POST', '/v1/data-import/account-import-process/process/', {
      token: stack.token,
      body: { import_supplier_code: 'SUPPLIER_FR', external_account_number, operations_team_name: 'Migration' },
    })
  ).status;

test('Temporal comes back without its store: what it lacks is made again, and ready says ok no sooner than creations are taken', async () => {
  const [first, ...numbers] = await stageAccounts(stack, 40);
  expect(await create(first as string)).toBe(201);
  await stack.kill('temporal');
  for (const end of ['', '-wal', '-shm']) await rm(join(stack.folder, `temporal.db${end}`), { force: true });
  await until(async () => (await readyStatus()) === 503);
  bare = await startBareServer();
  const backAt = performance.now();
  const statuses = new Set<number>();
  while ((await readyStatus()) !== 200) {
    expect(performance.now() - backAt).toBeLessThan(HEALED_WITHIN_MS);
    statuses.add((await listStuck()).status);
    await sleep(100);
  }
  if (process.env['FIGURES']) {
    process.stderr.write(
      `Temporal without its store: ready after ${Math.round(performance.now() - backAt)} ms, stuck answered ${[...statuses]}\n`,
    );
  }
  // Never a fault of ours: unknown for a while, then known.
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(await create(numbers[0] as string)).toBe(201);
  expect((await listStuck()).status).toBe(200);
  const { figures } = await createAccounts(stack, numbers.slice(1), { clients: 4, pauseMs: 200 });
  expect([...figures.answers]).toEqual([[201, numbers.length - 1]]);
}, 240_000);
