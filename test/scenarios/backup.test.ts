import { execFileSync } from 'node:child_process';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/local-stack/embedded-postgres.ts';
import { findOpenRun } from '../../src/platform/temporal/start-run.ts';
import { startAdictSimulator } from '../../src/vendors/network-operator/adict.simulator.ts';
import { startSgeSimulator } from '../../src/vendors/network-operator/sge.simulator.ts';
import { send } from '../support/harness.ts';
import { issueToken } from '../support/issue-token.ts';
import { openOperatorShell } from '../support/operator-shell.ts';
import { operatorSettings, points, POPULATE } from '../support/population.ts';
import { message } from '../support/switching.ts';
import { until } from '../support/until.ts';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, withoutThread } from './stack.ts';

// Follows the guide for backup and restore: docs/running/restore.md.

const RESTORE_POINT = 'kept';

/** Numbers returned by all tests of this file: none may be returned again. */
const returned: string[] = [];
let staged = 1;
let nextPoint = 25_000_000_000_000;

const enedis = await startSgeSimulator();
const grdf = await startAdictSimulator();
// The dispatcher starts a run that the process could not start in time.
const stack = await startStack({ ...withoutThread, ...operatorSettings(enedis, grdf), DISPATCH_EVERY_MS: '1000' });
const files = (await stack.query<{ data_directory: string }>('show data_directory'))[0]!.data_directory;
const operator = await issueToken({ query: (text, values) => stack.query(text, values) }, 'operator', []);
const shell = await openOperatorShell({
  call: (...call) => send(stack.url, ...call),
  operatorToken: operator,
  url: stack.url,
});
await archiveAll();
afterAll(async () => {
  shell?.remove();
  await stack?.stop();
  await enedis?.stop();
  await grdf?.stop();
  execFileSync('rm', ['-rf', ...['.base', '.archive'].map((end) => files + end)]);
});

// With the owner of the files, who may differ from the user of the tests.
const copy = (from: string, to: string) => {
  execFileSync('rm', ['-rf', to]);
  execFileSync('cp', ['-a', from, to]);
};

/** Makes Postgres archive its log, as for a server with backups. */
async function archiveAll(): Promise<void> {
  execFileSync('mkdir', ['-p', `${files}.archive`]);
  execFileSync('chown', [`--reference=${files}`, `${files}.archive`]);
  await stack.query(`alter system set archive_mode = on`);
  await stack.query(`alter system set archive_command = 'test ! -f ${files}.archive/%f && cp %p ${files}.archive/%f'`);
  await stack.process('postgres').stop();
  await stack.start('postgres');
  await stack.ready();
}

/** Does the work of pg_basebackup, which the test's server does not include. */
async function takeBaseBackup(): Promise<void> {
  const session = new pg.Client({ connectionString: (stack.process('postgres') as EmbeddedPostgres).url });
  await session.connect();
  await session.query(`select pg_backup_start('nightly', true)`);
  // Files may disappear during the copy; the archive contains their changes.
  execFileSync(
    'sh',
    ['-c', 'rm -rf "$1"; cp -a "$0" "$1" || true; rm -rf "$1"/pg_wal/* "$1"/postmaster.pid', files, `${files}.base`],
    { stdio: 'ignore' },
  );
  const { rows } = await session.query('select labelfile from pg_backup_stop()');
  await session.end();
  await writeAs(join(`${files}.base`, 'backup_label'), rows[0].labelfile);
}

async function writeAs(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  execFileSync('chown', [`--reference=${files}`, path]);
}

/** Restores the base backup and replays the archive up to the given time. */
async function restorePostgres(point = RESTORE_POINT): Promise<void> {
  await stack.process('postgres').stop();
  copy(`${files}.base`, files);
  await appendFile(
    join(files, 'postgresql.auto.conf'),
    [
      `restore_command = 'cp ${files}.archive/%f %p'`,
      `recovery_target_name = '${point}'`,
      `recovery_target_action = 'promote'`,
      'hot_standby = off',
      '',
    ].join('\n'),
  );
  await writeAs(join(files, 'recovery.signal'), '');
  await stack.start('postgres');
}

const temporalFiles = (end: string) =>
  ['', '-wal', '-shm'].map((part) => [`temporal.db${part}`, `temporal.db${part}${end}`]);

/** Stops Temporal, copies its database from one name to another, and starts it again. */
async function copyTemporal(copies: readonly (readonly string[])[]): Promise<void> {
  await stack.terminate('temporal');
  for (const [from, to] of copies) await copyIfThere(from!, to!);
  await stack.start('temporal');
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await rm(join(stack.folder, to), { force: true });
  const content = await readFile(join(stack.folder, from)).catch(() => undefined);
  if (content !== undefined) await writeFile(join(stack.folder, to), content, { mode: 0o600 });
}

/** As in the guide: stops the processes, puts the restored data in place, and starts them again. */
async function whileStopped(restore: () => Promise<void>): Promise<void> {
  await restoreBeforeWorker(restore);
  await stack.start('worker');
  await stack.ready();
}

/** The same, but the worker is not started yet, so that no run can end by itself. */
async function restoreBeforeWorker(restore: () => Promise<void>): Promise<void> {
  for (const part of ['api', 'worker'] as const) await stack.terminate(part);
  await restore();
  await stack.start('api');
  await stack.ready();
}

const operate = (method: string, path: string, body?: unknown) =>
  send(stack.url, method, `/v1/operations/${path}`, { token: operator, body });

async function createSome(count = 5): Promise<string[]> {
  const numbers = await stageAccounts(stack, count, staged);
  staged += count;
  await createAll(numbers);
  return numbers;
}

async function createAll(numbers: readonly string[]): Promise<void> {
  const { completed } = await createAccounts(stack, numbers, { clients: 4, pauseMs: 100 });
  returned.push(...completed.map(({ serviceAccountNumber }) => serviceAccountNumber));
  expect(completed.map(({ status }) => status)).toEqual(numbers.map(() => 201));
  expect(new Set(returned).size).toBe(returned.length);
}

/** Whether the run of the lookups waits for more than a minute. */
async function doLookupsWait(): Promise<boolean> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const { events } = await new Client({ connection }).workflow
      .getHandle('look-up-supply-points/enedis')
      .fetchHistory();
    const seconds = events?.at(-1)?.timerStartedEventAttributes?.startToFireTimeout?.seconds;
    return Number(seconds ?? 0) > 60;
  } finally {
    await connection.close();
  }
}

async function isRunOpen(workflowId: string): Promise<boolean> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    return (await findOpenRun(new Client({ connection }), workflowId)) !== undefined;
  } finally {
    await connection.close();
  }
}

/** Open work: a batch whose network operator is paused, and a switch that waits for messages. */
async function openWork(): Promise<{ batch: string; switched: string }> {
  await setSpeed(0);
  const { body } = await send(stack.url, 'POST', POPULATE, {
    token: stack.token,
    body: { prm_ids: points(3, (nextPoint += 3)) },
  });
  const [switched] = await createSome(1);
  await say(switched!, 'ACCEPTED');
  // Made to look old: recent work may be about to start. The dispatcher must not repair it before the check does.
  await stack.query(
    `update work_item set created_at = now() - interval '1 hour', start_at = now() + interval '1 hour'`,
  );
  return { batch: body.batch_id, switched: switched! };
}

/** A market message; resolves once it has had its effect. */
async function say(external: string, outcome: 'ACCEPTED' | 'COMPLETED'): Promise<void> {
  await operate('POST', 'market-messages/', [message(external, outcome)]);
  const wanted = outcome === 'ACCEPTED' ? 'IN_PROGRESS' : 'COMPLETED';
  await until(async () => (await statusOf(external)) === wanted);
}

const statusOf = async (external: string): Promise<string> =>
  (
    await send(stack.url, 'GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${external}/`, {
      token: stack.token,
    })
  ).body.status;
const batchOf = async (batch: string) =>
  (await send(stack.url, 'GET', `${POPULATE}${batch}/`, { token: stack.token })).body;
/** By the operator API, which wakes the lookup run. */
async function setSpeed(perSecond: number): Promise<void> {
  const body = { requests_per_second: perSecond, requests_per_hour: 3_600_000 };
  expect(await operate('PUT', 'network-operators/enedis/throttle/', body)).toMatchObject({ status: 200 });
}

/** Runs `check --mend` like an operator until it finds nothing; returns the findings by kind, all of them repaired. */
async function repair(): Promise<Record<string, number>> {
  let found: Record<string, number> = {};
  // A run with recent progress is not reported as superfluous, and the next check finds it.
  await until(async () => {
    const checked = await shell.run('check', '--mend', '--json');
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    const more = Object.fromEntries(JSON.parse(checked.stdout).found.map((one: any) => [one.kind, one.count]));
    await stack.query(`update work_item set start_at = now() + interval '1 hour'`);
    found = { ...more, ...found };
    return Object.keys(more).length === 0;
  });
  return found;
}

/** All of it completes. */
async function endWork(...works: { batch: string; switched: string }[]): Promise<void> {
  await setSpeed(1_000);
  for (const { batch, switched } of works) {
    await until(async () => (await batchOf(batch)).status === 'COMPLETED');
    await say(switched, 'COMPLETED');
  }
  const pending = `select from work_item where kind <> 'switch-supplier' or runs_alone`;
  await until(async () => (await stack.query(pending)).length === 0);
}

test("continues open work and ends later work after Postgres is restored to a time before Temporal's state", async () => {
  const before = await openWork();
  const [kept] = await createSome();
  await takeBaseBackup();
  const since = await openWork();
  await createSome();
  await stack.query(`select pg_create_restore_point('${RESTORE_POINT}')`);
  const lost = await openWork();
  const mark = `select account_from::float8 as "from", account_until::float8 as until from number_mark`;
  const [marked] = await stack.query<{ until: number }>(mark);
  await stack.query('select pg_switch_wal()');
  await whileStopped(() => restorePostgres());
  // Promotion has raised the timeline: a leap that no restart of the lost timeline can have made.
  expect((await stack.query<{ from: number }>(mark))[0]!.from).toBeGreaterThan(marked!.until + 1e9);
  expect(await stack.query('select pg_is_in_recovery() as "isRecovering"')).toEqual([{ isRecovering: false }]);
  expect(await batchOf(lost.batch)).toMatchObject({ code: expect.stringContaining('not_found') });
  // The run that watched a lost batch ends by itself, or by the repair.
  await repair();
  await until(async () => !(await isRunOpen(`populate-supply-points/${lost.batch}`)));
  expect(await statusOf(kept!)).toBe('PENDING');
  await endWork(before, since);
  // Lost accounts are sent again, and get a number that was never returned.
  await stageAccounts(stack, 1, staged - 1);
  await createAll([lost.switched]);
}, 240_000);

/** Starts a batch; resolves to its id. */
async function populate(...identifiers: string[]): Promise<string> {
  const { body } = await send(stack.url, 'POST', POPULATE, { token: stack.token, body: { prm_ids: identifiers } });
  return body.batch_id;
}

test('starts lost runs and ends completed ones when Temporal is older than Postgres', async () => {
  const over = await openWork();
  // A copy requires a stop of Temporal only; the others wait for it.
  await copyTemporal(temporalFiles('.kept'));
  await stack.ready();
  await endWork(over);
  const open = await openWork();
  await restoreBeforeWorker(() => copyTemporal(temporalFiles('.kept').map((names) => names.toReversed())));
  const found = await repair();
  expect(found['work_item_without_run']).toBeGreaterThanOrEqual(1);
  expect(found['run_without_work_item']).toBeGreaterThanOrEqual(1);
  await stack.start('worker');
  await createSome();
  await endWork(open);
}, 240_000);

test('restarts all open work after a complete loss of Temporal', async () => {
  const open = await openWork();
  await whileStopped(async () => {
    await stack.terminate('temporal');
    for (const [file] of temporalFiles('')) await rm(join(stack.folder, file!), { force: true });
    await stack.start('temporal');
  });
  expect(await repair()).toEqual({ work_item_without_run: 2 });
  await createSome();
  await endWork(open);
}, 240_000);

// The run of the lookups waited for a lookup that was deferred for an hour, and did not see that others were pending again.
test('continues lookups that are pending again after a restore, although their run waits for others', async () => {
  await populate('99120000000001');
  await until(async () => (await stack.query('select from look_up where due_at is not null')).length > 0);
  await stack.query(`update look_up set due_at = now() + interval '1 hour', tries = 1 where due_at is not null`);
  await takeBaseBackup();
  // A page holds the lookups at the time to which the database is restored.
  await setSpeed(0.2);
  const again = await populate(...points(3, (nextPoint += 3)));
  await until(async () => (await stack.query('select from look_up_page')).length > 0, 20);
  await stack.query(`select pg_create_restore_point('held')`);
  await setSpeed(1_000);
  await until(async () => (await batchOf(again)).status === 'COMPLETED');
  await until(doLookupsWait);
  await stack.query('select pg_switch_wal()');
  await whileStopped(() => restorePostgres('held'));
  expect(await batchOf(again)).toMatchObject({ status: 'IN_PROGRESS' });
  // Not by the operator API, which wakes the run.
  await stack.query(`update throttle set requests_per_second = 1000, requests_per_hour = 3600000`);
  await until(async () => (await batchOf(again)).status === 'COMPLETED');
}, 240_000);
