import { afterAll, expect, test } from '@jest/globals';
import { randomOf } from '../support/account-variants.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { send } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { startStack, withoutThread, type Part } from './stack.ts';

// The creation of a wave whose parts are killed at seeded moments ends in the same state as without kills.

/** Accounts of the wave; KILL_WAVE=5000 and KILL_WAVE_TIMES=25 are the long form. */
const ACCOUNTS = Number(process.env['KILL_WAVE'] ?? 400);
const TIMES = Number(process.env['KILL_WAVE_TIMES'] ?? 5);
/** Determines when the kills happen; any seed must work. */
const SEED = Number(process.env['KILL_WAVE_SEED'] ?? 7);
const PARTS: Part[] = ['worker', 'postgres', 'temporal', 'worker', 'api'];

const stack = await startStack(withoutThread);
afterAll(async () => {
  await stack?.stop();
}, 120_000);

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await send(stack.url, method, `/v1/data-import/${path}`, { token: stack.token, body, headers });
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const see = (wave: string) => call('GET', `waves/${wave}/`).catch(() => undefined);
const isPassed = async (wave: string, name: string) =>
  (await see(wave))?.gates.find((gate: { name: string }) => gate.name === name)?.state === 'passed';
const createdSoFar = () =>
  stack.query<{ count: number }>('select count(*)::integer as count from account').then(
    ([row]) => row!.count,
    () => -1,
  );

test('creates each account of a wave once with its parts killed at seeded moments', async () => {
  const { wave_id: wave } = await call('POST', 'waves/', {
    import_supplier: 'SUPPLIER_FR',
    name: 'Killed',
    operations_team_name: 'Migration',
  });
  const { job_id: jobId } = await call('POST', 'import-jobs/', {
    import_supplier: 'SUPPLIER_FR',
    kind: 'accounts',
    goal: 'STAGE',
    wave_id: wave,
  });
  const lines = Array.from({ length: ACCOUNTS }, (_, index) =>
    JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }, index)),
  );
  await call('PUT', `import-jobs/${jobId}/parts/1/`, lines.join('\n'), { 'content-type': 'application/x-ndjson' });
  await call('POST', `import-jobs/${jobId}/start/`);
  await until(() => isPassed(wave, 'complete'), 200);
  await call('POST', `waves/${wave}/rehearse/`);
  await until(() => isPassed(wave, 'rehearsed'), 200);

  // Slow, so that all kills happen within the creation.
  await stack.query(
    `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return null; end'`,
  );
  await stack.query('create trigger slow after insert on account for each statement execute function slow()');
  await call('POST', `waves/${wave}/create/`);
  const random = randomOf(SEED);
  const moments = Array.from({ length: TIMES }, () => random() * 0.9 * ACCOUNTS).toSorted((one, other) => one - other);
  for (const [index, at] of moments.entries()) {
    const part = PARTS[index % PARTS.length]!;
    await until(async () => (await createdSoFar()) >= at, 20);
    await stack.kill(part);
    await stack.start(part);
  }
  await until(async () => (await see(wave))?.status === 'CREATED', 300);
  await stack.query('drop function slow cascade');
  await stack.ready();

  expect(await createdSoFar()).toBe(ACCOUNTS);
  expect((await see(wave)).counts).toMatchObject({ accounts: ACCOUNTS, created: ACCOUNTS, pending: 0 });
  const jobs = await stack.query<{ succeeded: number; failed: number }>(
    `select succeeded, failed from import_job where wave_id = $1 and goal = 'CREATE'`,
    [wave],
  );
  expect(jobs).toEqual([{ succeeded: ACCOUNTS, failed: 0 }]);
  const events = await stack.query<{ type: string; count: number }>(
    `select type, count(*)::integer as count from (select type from event union all select type from event_outbox) e
     where type like 'import.%created.v1' or type = 'import.wave.creating.v1' group by type order by type`,
  );
  expect(events).toEqual([
    { type: 'import.account.created.v1', count: ACCOUNTS },
    { type: 'import.wave.created.v1', count: 1 },
    { type: 'import.wave.creating.v1', count: 1 },
  ]);
}, 600_000);
