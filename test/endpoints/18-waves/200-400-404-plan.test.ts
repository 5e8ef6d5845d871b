import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { operatorKey, waveAccount, waveClient, WAVES, type WaveClient } from '../../support/waves.ts';

const UNKNOWN = '019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f';
const reason = { reason: 'A night later.' };
const FAR = '2099-01-01T00:00:00.000Z';

let service: Service;
let client: WaveClient;
beforeAll(async () => {
  service = await startService({ worker: true });
  client = await waveClient(service);
});
afterAll(() => service?.stop());

const change = (wave: string, body: object) =>
  service.call('PATCH', `${WAVES}${wave}/`, { token: client.jobs.token, body });
const operate = (wave: string, body: object) =>
  service.call('PATCH', `/v1/operations/waves/${wave}/`, { token: service.operatorToken, body });

/** A wave with rehearsed accounts. */
async function rehearsed(externals: readonly string[], more: object = {}): Promise<string> {
  const wave = await client.open(more);
  await client.stage(wave, externals);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  return wave;
}

async function approve(wave: string): Promise<void> {
  await client.operate(wave, 'request-approval', { reason: 'Rehearsed.' }, await operatorKey(service, `asks ${wave}`));
  expect((await client.operate(wave, 'approve', { reason: 'Agreed.' })).status).toBe(200);
}

test('changes and removes values, keeps the others, and records both in the audit', async () => {
  const wave = await client.open({
    plan: { create_from: FAR, expected_accounts: 3 },
    options: { canary: 5, stop_after_failures: { count: 3, percent: 2 }, hold_switches_hours: 48 },
  });
  const answer = await change(wave, {
    plan: { create_until: '2099-01-01T09:00:00+01:00', expected_accounts: 2 },
    options: { canary: null, stop_after_failures: { percent: 1.5 }, max_per_second: 10 },
    ...reason,
  });
  const changed = [
    'plan.create_until',
    'plan.expected_accounts',
    'options.canary',
    'options.stop_after_failures',
    'options.max_per_second',
  ];
  expect(answer.body).toEqual({
    wave_id: wave,
    status: 'PREPARING',
    paused_because: null,
    changed: expect.arrayContaining(changed),
    approval_ended: false,
  });
  expect(await client.see(wave)).toMatchObject({
    plan: { create_from: FAR, create_until: '2099-01-01T08:00:00.000Z', supply_start_from: null, expected_accounts: 2 },
    options: { stop_after_failures: { count: 3, percent: 1.5 }, max_per_second: 10, hold_switches_hours: 48 },
  });
  expect((await client.see(wave)).options.canary).toBeUndefined();
  const { rows } = await service.database.pool.query(
    "select before, after, reason from audit_entry where subject = $1 and action = 'wave.plan_changed'",
    [`waves/${wave}`],
  );
  expect(rows).toEqual([
    {
      before: {
        status: 'PREPARING',
        'plan.create_until': null,
        'plan.expected_accounts': 3,
        'options.canary': 5,
        'options.stop_after_failures': { count: 3, percent: 2 },
        'options.max_per_second': null,
      },
      after: {
        status: 'PREPARING',
        'plan.create_until': '2099-01-01T08:00:00.000Z',
        'plan.expected_accounts': 2,
        'options.canary': null,
        'options.stop_after_failures': { count: 3, percent: 1.5 },
        'options.max_per_second': 10,
      },
      reason: 'A night later.',
    },
  ]);
  const stop = { stop_after_failures: { count: null, percent: null } };
  expect((await operate(wave, { options: stop, ...reason })).body.changed).toEqual(['options.stop_after_failures']);
  expect((await operate(wave, { options: stop, ...reason })).body.changed).toEqual([]);
});

test('rejects faults of the plan, unknown waves, and waves whose creation has begun', async () => {
  const wave = await client.open({ plan: { create_from: FAR } });
  const faultsOf = async (body: object) =>
    (await change(wave, body)).body.errors.map(({ attr, code }: { attr: string; code: string }) => `${attr} ${code}`);
  expect(await faultsOf(reason)).toEqual(['plan required']);
  expect(await faultsOf({ plan: { create_until: '2098-01-01T00:00:00Z' }, ...reason })).toEqual([
    'plan.create_until invalid',
  ]);
  expect(
    await faultsOf({ plan: { supply_start_from: '2027-13-01', created_until: FAR }, options: { canary: 0 } }),
  ).toEqual(
    expect.arrayContaining([
      'plan.supply_start_from invalid',
      'plan.created_until invalid',
      'options.canary min_value',
      'reason required',
    ]),
  );
  for (const call of [change, operate]) {
    expect(await call(UNKNOWN, { plan: {}, ...reason })).toMatchObject({
      status: 404,
      body: { code: 'wave_not_found' },
    });
  }
  for (const status of ['CREATING', 'CREATED', 'SIGNED_OFF']) {
    const by = status === 'SIGNED_OFF' ? 'A. Martin' : null;
    await service.database.pool.query('update wave set status = $2, signed_off_by = $3 where id = $1', [
      wave,
      status,
      by,
    ]);
    for (const call of [change, operate]) {
      expect(await call(wave, { plan: { create_from: null }, ...reason })).toMatchObject({
        status: 400,
        body: { code: 'wave_status_forbids' },
      });
    }
  }
});

test('ends an approval, which names the plan, and takes an approved creation back', async () => {
  const wave = await rehearsed(['A-1'], { plan: { create_from: FAR }, options: { requires_approval: true } });
  await approve(wave);
  expect((await client.see(wave)).approval).toMatchObject({ plan: { create_from: FAR }, plan_changed: false });
  expect((await client.post(wave, 'create')).body.status).toBe('SCHEDULED');
  expect((await change(wave, { options: { canary: 1 }, ...reason })).body).toMatchObject({
    status: 'PREPARING',
    approval_ended: true,
  });
  const { approval, gates } = await client.see(wave);
  expect(approval).toMatchObject({ plan_changed: true, options: { requires_approval: true }, changed: 0 });
  expect(gates).toContainEqual(
    expect.objectContaining({
      name: 'approved',
      evidence: 'The plan changed since the approval. Ask for another one.',
    }),
  );
  expect((await client.post(wave, 'create')).body).toMatchObject({ code: 'wave_gate_not_passed', gate: 'approved' });
  // Changing it back does not restore the approval.
  expect((await change(wave, { options: { canary: null }, ...reason })).body.approval_ended).toBe(false);
  expect((await client.gates(wave))['approved']).toBe('blocked');

  await client.operate(wave, 'request-approval', { reason: 'Again.' }, await operatorKey(service, 'asks again'));
  await change(wave, { plan: { expected_accounts: 1 }, ...reason });
  expect((await client.operate(wave, 'approve', { reason: 'Agreed.' })).body.code).toBe('wave_changed');
  expect((await client.see(wave)).gates).toContainEqual(
    expect.objectContaining({ evidence: expect.stringMatching(/^The plan changed since .* asked for approval/) }),
  );
  await approve(wave);
  expect((await client.post(wave, 'create')).body.status).toBe('SCHEDULED');
});

test('applies to a scheduled creation immediately, unless the plan cannot be kept', async () => {
  const wave = await rehearsed(['B-1', 'B-2', 'B-3'], { plan: { create_from: FAR } });
  await client.post(wave, 'create');
  const short = { plan: { create_until: '2099-01-01T00:00:02Z' }, options: { max_per_second: 1 }, ...reason };
  for (const call of [change, operate]) {
    expect((await call(wave, short)).body).toMatchObject({
      code: 'wave_plan_too_short',
      detail: '3 accounts need 3 s at 1 a second; the plan leaves 2 s.',
    });
  }
  expect((await change(wave, { plan: { create_from: null }, ...reason })).body.status).toBe('SCHEDULED');
  await until(async () => (await client.see(wave)).status === 'CREATED');
});

test('the gate complete waits for the expected number of accounts', async () => {
  const wave = await client.open({ plan: { expected_accounts: 2 } });
  await client.stage(wave, ['C-1']);
  await client.untilGate(wave, 'complete', 'open');
  expect((await client.post(wave, 'rehearse')).body).toMatchObject({ code: 'wave_gate_not_passed', gate: 'complete' });
  await client.stage(wave, ['C-2']);
  await client.untilGate(wave, 'complete', 'passed');
  await client.stage(wave, ['C-3']);
  await client.untilGate(wave, 'complete', 'blocked');
  await change(wave, { plan: { expected_accounts: 4 }, ...reason });
  // A line that was delivered, but whose account is not staged.
  await client.post(wave, 'exclude', { accounts: ['C-4'], ...reason });
  expect((await client.gates(wave))['complete']).toBe('passed');
});

test('a wave past the end of its plan is created within a later one', async () => {
  const wave = await rehearsed(['D-1'], { plan: { create_from: FAR } });
  await client.post(wave, 'create');
  await service.database.pool.query(
    "update wave set status = 'PAUSED', paused_because = 'past_create_until', create_from = null, create_until = now() where id = $1",
    [wave],
  );
  expect((await change(wave, { plan: { create_until: FAR }, ...reason })).body.status).toBe('PAUSED');
  expect((await client.post(wave, 'resume')).body.status).toBe('SCHEDULED');
  expect((await client.see(wave)).plan.create_until).toBe(FAR);
  await until(async () => (await client.see(wave)).status === 'CREATED');
});

test('warns of supply starts that lie before the switches can be requested, or within their lead time', async () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const account = (external: string, start: string) => {
    const made = waveAccount(external) as { supply_addresses: { supply_points: { supply_start_date: string }[] }[] };
    for (const { supply_points: points } of made.supply_addresses) {
      for (const point of points) point.supply_start_date = start;
    }
    return made;
  };
  const wave = await client.open({ plan: { create_from: `${day(30)}T12:00:00Z` } });
  const starts = { 'S-1': day(20), 'S-2': day(25), 'S-3': day(40), 'S-4': day(60), 'S-5': day(21), 'S-6': day(22) };
  const lines = Object.entries(starts).map(([external, start]) => account(external, start));
  await client.importLines(wave, 'accounts', 'STAGE', lines);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  const seen = await client.see(wave);
  expect(seen.supply_starts).toEqual({
    requests_from: day(31),
    before_requests: 4,
    within_lead_time: 1,
    earliest: day(20),
    examples: ['S-1', 'S-5', 'S-6'],
    link: `${WAVES}${wave}/early-starts/`,
  });
  expect(seen.gates).toContainEqual(
    expect.objectContaining({
      name: 'rehearsed',
      evidence: `The rehearsal tried all 6 accounts in their present revision. Warning: Supply of 4 accounts starts before ${day(31)}, when the first switches can be requested. Supply of 1 account starts too soon after ${day(31)} for the lead time of switches. The earliest is ${day(20)} (S-1, S-5, S-6, ...).`,
    }),
  );
  const list = await service.call('GET', seen.supply_starts.link, { token: client.jobs.token });
  expect(list.body.map((line: { external_account_number: string }) => line.external_account_number)).toEqual([
    'S-1',
    'S-2',
    'S-3',
    'S-5',
    'S-6',
  ]);
  expect(list.body[0]).toEqual({
    external_account_number: 'S-1',
    supply_start_date: day(20),
    request_switch_on: day(6),
  });
  // An earlier creation without a hold can keep most of them.
  await change(wave, { plan: { create_from: null }, options: { hold_switches_hours: 0 }, ...reason });
  expect((await client.see(wave)).supply_starts).toMatchObject({ before_requests: 0, within_lead_time: 0, link: null });
});
