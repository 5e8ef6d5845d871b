import { afterAll, expect, test } from '@jest/globals';
import { gatesOf, NO_COUNTS } from '../../src/waves/gate.rules.ts';
import { readFacts } from '../../src/waves/wave-facts.store.ts';
import type { WaveRecord } from '../../src/waves/wave.entity.ts';
import { findWaveOfRequest } from '../../src/waves/wave.store.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { operatorKey, waveAccount, WAVES, waveClient } from '../support/waves.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const client = await waveClient(service);
const [first, second] = [await operatorKey(service, 'first'), await operatorKey(service, 'second')];
const { pool } = service.database;

test('a wave passes its gates from the upload to the sign-off', async () => {
  const wave = await client.open();
  expect(await client.gates(wave)).toMatchObject({ complete: 'open', valid: 'open', rehearsed: 'open' });
  await client.stage(wave, ['A-1', 'A-2', 'A-3']);
  await client.untilGate(wave, 'complete', 'passed');
  expect(await client.gates(wave)).toMatchObject({
    complete: 'passed',
    valid: 'passed',
    rehearsed: 'open',
    approved: 'not_required',
  });
  expect((await client.post(wave, 'create')).body).toMatchObject({ code: 'wave_gate_not_passed', gate: 'rehearsed' });

  expect((await client.post(wave, 'rehearse')).status).toBe(200);
  await client.untilGate(wave, 'rehearsed', 'passed');
  expect((await pool.query('select count(*)::integer as count from account')).rows[0].count).toBe(0);

  expect((await client.post(wave, 'create')).body.status).toBe('SCHEDULED');
  await client.untilGate(wave, 'created', 'passed');
  await until(async () => (await client.see(wave)).status === 'CREATED');
  const numbers = await service.call('GET', `${WAVES}${wave}/numbers/`, { token: client.jobs.token });
  expect(numbers.body.map((line: { external_account_number: string }) => line.external_account_number)).toEqual([
    'A-1',
    'A-2',
    'A-3',
  ]);

  await client.importLines(wave, 'notes', 'IMPORT', [{ external_account_number: 'A-1', notes: [{ body: 'Moved.' }] }]);
  await client.untilGate(wave, 'attached', 'passed');
  expect((await client.operate(wave, 'sign-off', { reason: 'Done.' })).body.gate).toBe('reconciled');
  const { rows } = await pool.query('select creation_job_id from wave where id = $1', [wave]);
  await service.call('POST', '/v1/data-import/reconciliations/', {
    token: client.jobs.token,
    body: { job_id: rows[0].creation_job_id },
  });
  await client.untilGate(wave, 'reconciled', 'passed');
  expect((await client.operate(wave, 'sign-off', { reason: 'Done.' })).body.status).toBe('SIGNED_OFF');
  expect(await client.see(wave)).toMatchObject({
    status: 'SIGNED_OFF',
    counts: { accounts: 3, created: 3, pending: 0 },
  });
  expect((await client.post(wave, 'cancel')).body.code).toBe('wave_status_forbids');
});

test('an approval needs a second person, and expires when an account is staged again', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { options: { creation_requires_approval: true } },
  });
  const wave = await client.open();
  await client.stage(wave, ['B-1', 'B-2']);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  expect(await client.gates(wave)).toMatchObject({ approved: 'open' });
  const creation = (external: string) =>
    service.call('POST', '/v1/data-import/account-import-process/process/', {
      token: client.jobs.token,
      body: {
        import_supplier_code: 'SUPPLIER_FR',
        external_account_number: external,
        operations_team_name: 'Migration',
      },
    });
  expect((await creation('B-1')).body.code).toBe('approval_required');

  const reason = { reason: 'Rehearsed.' };
  expect((await client.operate(wave, 'request-approval', reason, first)).status).toBe(200);
  expect((await client.operate(wave, 'approve', reason, first)).body.code).toBe('second_person_required');
  expect((await client.operate(wave, 'approve', reason, await operatorKey(service, 'other', 'operate'))).status).toBe(
    403,
  );
  expect((await client.operate(wave, 'approve', reason, second)).status).toBe(200);
  expect(await client.gates(wave)).toMatchObject({ approved: 'passed' });

  const changed = { ...waveAccount('B-2'), sales_channel: 'TELESALES' };
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token: client.jobs.token,
    body: changed,
  });
  await client.untilGate(wave, 'approved', 'blocked');
  expect((await client.see(wave)).approval).toMatchObject({ changed: 1, changed_accounts: ['B-2'] });
  expect((await creation('B-2')).body.code).toBe('approval_required');
  expect((await client.post(wave, 'create')).body).toMatchObject({ code: 'wave_gate_not_passed', gate: 'rehearsed' });

  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  await client.operate(wave, 'request-approval', reason, first);
  await client.operate(wave, 'approve', reason, second);
  await client.post(wave, 'create');
  await client.untilGate(wave, 'created', 'passed');
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { options: { creation_requires_approval: null } },
  });
});

test('the database accepts no approval by one person, and the application cannot write both names', async () => {
  const wave = await client.open();
  await client.stage(wave, ['C-1']);
  expect((await client.operate(wave, 'rehearse')).status).toBe(200);
  await client.untilGate(wave, 'rehearsed', 'passed');
  await client.operate(wave, 'request-approval', { reason: 'x' }, first);
  const decided =
    "decided_by = requested_by, decided_by_id = requested_by_id, decided_at = now(), decision = 'approved'";
  await expect(pool.query(`update wave_approval set ${decided} where wave_id = $1`, [wave])).rejects.toThrow(
    /wave_approval_second_person/,
  );
});

test('a faulty account blocks the wave until it is excluded with a reason, and an account belongs to one wave', async () => {
  const [wave, other] = [await client.open(), await client.open()];
  await client.importLines(wave, 'accounts', 'STAGE', [
    waveAccount('D-1'),
    { ...waveAccount('D-2'), account_type: 'CASTLE' },
  ]);
  await client.untilGate(wave, 'valid', 'blocked');
  expect((await client.see(wave)).causes).toContainEqual({ code: 'invalid_choice', records: 1 });
  expect((await client.post(wave, 'exclude', { faulty: true, reason: 'Follows later.' })).body).toEqual({
    excluded: 1,
  });
  expect(await client.gates(wave)).toMatchObject({ valid: 'passed' });
  expect((await client.operate(wave, 'exclude', { faulty: true, reason: 'Again.' })).body).toEqual({ excluded: 0 });

  expect((await client.add(other, ['D-1', 'NOBODY'])).body).toMatchObject({
    added: 0,
    rejected: 2,
    rejected_lines: [
      { line: 1, code: 'account_in_another_wave' },
      { line: 2, code: 'import_process_does_not_exist' },
    ],
  });
  expect((await client.post(other, 'move', { accounts: ['D-1'], reason: 'Later.' })).body).toEqual({
    moved: 1,
    from: [wave],
  });
  expect((await client.add(other, ['D-1'])).body).toMatchObject({ added: 0, already_members: 1 });
  const back = { accounts: ['D-1'], reason: 'Sooner after all.' };
  expect((await client.operate(wave, 'move', back)).body).toEqual({ moved: 1, from: [other] });
});

test('a plan that cannot be kept is refused with the figures, and a wave past its plan is paused', async () => {
  const now = Date.now();
  const soon = new Date(now + 6_000).toISOString();
  const wave = await client.open({
    plan: { create_until: soon },
    options: { max_per_second: 1, hold_switches_hours: 48 },
  });
  const externals = Array.from({ length: 12 }, (_, index) => `E-${index}`);
  await client.stage(wave, externals);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  for (const call of [client.post, client.operate]) {
    expect((await call(wave, 'create')).body).toMatchObject({
      code: 'wave_plan_too_short',
      detail: expect.stringMatching(/12 accounts need 12 s at 1 a second|The plan ends before/),
    });
  }
  await pool.query("update wave set options = '{}', status = 'SCHEDULED', create_until = now() where id = $1", [wave]);
  await pool.query("select pg_notify('none', '')");
  await service.gateway.client().workflow.getHandle(`wave/${wave}`).signal('waveChanged');
  await until(async () => (await client.see(wave)).status === 'PAUSED');
  expect((await client.see(wave)).paused_because).toBe('past_create_until');
});

test('switches of a wave are held', async () => {
  const wave = await client.open({ options: { hold_switches_hours: 48 } });
  await client.stage(wave, ['F-1']);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  await client.post(wave, 'create');
  await client.untilGate(wave, 'created', 'passed');
  const { rows } = await pool.query(
    "select extract(epoch from w.start_at - now())::integer / 3600 as hours from account a join work_item w on w.workflow_id = 'switch-supplier/' || a.number where a.external_account_number = 'F-1'",
  );
  expect(rows[0].hours).toBeGreaterThanOrEqual(47);
  const shown = await service.call('GET', '/v1/operations/accounts/SUPPLIER_FR/F-1/', { token: service.operatorToken });
  expect(shown.body.import_process.wave).toMatchObject({ wave_id: wave });
  expect(Date.parse(shown.body.account.switch_not_before)).toBeGreaterThan(Date.now() + 47 * 3_600_000);
});

test("a wave is canceled in Temporal's web UI, and its accounts can join another", async () => {
  const wave = await client.open();
  await client.stage(wave, ['G-1']);
  await until(async () =>
    service.gateway
      .client()
      .workflow.getHandle(`wave/${wave}`)
      .cancel()
      .then(
        () => true,
        () => false,
      ),
  );
  await until(async () => (await client.see(wave)).status === 'CANCELLED');
  expect((await client.add(await client.open(), ['G-1'])).body.added).toBe(1);
});

test('a job that ends while its wave is counted is not shown as ended with the counts from before', async () => {
  const id = await client.open();
  const jobId = await client.stage(id, ['R-1']);
  const wave = (await findWaveOfRequest(service.database, { params: { wave: id } }, undefined)) as WaveRecord;
  await pool.query("update import_job set status = 'RUNNING' where id = $1", [jobId]);
  const facts = await readFacts(service.database, wave, async () => {
    await pool.query("update import_job set status = 'COMPLETED' where id = $1", [jobId]);
    return NO_COUNTS;
  });
  expect(gatesOf(facts).find(({ name }) => name === 'complete')?.evidence).toBe('1 upload has not ended.');
});
