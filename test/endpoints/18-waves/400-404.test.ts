import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { operatorKey, waveAccount, waveClient, WAVES } from '../../support/waves.ts';

const service = await startService();
afterAll(() => service.stop());
const client = await waveClient(service);
const { pool } = service.database;
const UNKNOWN = '019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f';

const REASON = { reason: 'Agreed by telephone.' };
const bodies: Record<string, object> = {
  exclude: { accounts: ['X-1'], ...REASON },
  move: { accounts: ['X-1'], ...REASON },
  'sign-off': REASON,
  'request-approval': REASON,
  approve: REASON,
  decline: REASON,
};
const ofBoth = ['rehearse', 'create', 'pause', 'resume', 'cancel', 'exclude', 'move'];
const ofOperators = [...ofBoth, 'sign-off', 'request-approval', 'approve', 'decline'];

test('rejects an unknown wave, and one of another organization or supplier', async () => {
  const wave = await client.open();
  const stranger = await waveClient(service, ['SUPPLIER_FR']);
  await pool.query("update wave set organisation = 'Somebody else' where id = $1", [wave]);
  for (const id of [UNKNOWN, 'x']) {
    for (const verb of ofBoth) expect((await client.post(id, verb, bodies[verb])).body.code).toBe('wave_not_found');
    for (const verb of ofOperators) {
      expect((await client.operate(id, verb, bodies[verb])).body.code).toBe('wave_not_found');
    }
    expect((await client.add(id, ['X-1'])).body.code).toBe('wave_not_found');
  }
  for (const path of ['', 'numbers/', 'early-starts/']) {
    const { body } = await service.call('GET', `${WAVES}${wave}/${path}`, { token: stranger.jobs.token });
    expect(body.code).toBe('wave_not_found');
  }
  const operator = await service.call('GET', `/v1/operations/waves/${UNKNOWN}/`, { token: service.operatorToken });
  expect(operator.body.code).toBe('wave_not_found');
  expect((await service.call('GET', `/v1/operations/waves/${wave}/`, { token: service.operatorToken })).status).toBe(
    200,
  );
});

test.each([
  [
    'SIGNED_OFF',
    ['rehearse', 'create', 'pause', 'resume', 'cancel', 'exclude', 'move', 'request-approval', 'approve', 'decline'],
  ],
  ['CANCELLED', ['sign-off']],
])('a wave that is %s cannot be changed', async (status, verbs) => {
  const wave = await client.open();
  await pool.query('update wave set status = $2, signed_off_by = $3 where id = $1', [
    wave,
    status,
    status === 'SIGNED_OFF' ? 'A. Martin' : null,
  ]);
  for (const verb of verbs) {
    expect((await client.operate(wave, verb, bodies[verb])).body.code).toBe('wave_status_forbids');
    if (ofBoth.includes(verb)) {
      expect((await client.post(wave, verb, bodies[verb])).body.code).toBe('wave_status_forbids');
    }
  }
  expect((await client.add(wave, ['X-1'])).body.code).toBe('wave_status_forbids');
});

test('steps before their gates are rejected with the gate', async () => {
  const wave = await client.open();
  for (const verb of ['rehearse', 'create', 'request-approval']) {
    expect((await client.operate(wave, verb, bodies[verb])).body).toMatchObject({
      code: 'wave_gate_not_passed',
      gate: 'complete',
    });
  }
  for (const verb of ['rehearse', 'create']) {
    expect((await client.post(wave, verb)).body).toMatchObject({ code: 'wave_gate_not_passed', gate: 'complete' });
  }
  await pool.query("update wave set status = 'CREATED' where id = $1", [wave]);
  expect((await client.operate(wave, 'sign-off', REASON)).body.code).toBe('wave_gate_not_passed');
});

test('changes that have to be explained need a reason, and exclusions need accounts', async () => {
  const wave = await client.open();
  for (const verb of ofOperators.filter((one) => bodies[one] !== undefined)) {
    expect((await client.operate(wave, verb, {})).body).toMatchObject({ code: 'validation_failed' });
  }
  expect((await client.post(wave, 'exclude', REASON)).body.errors).toMatchObject([
    { attr: 'accounts', code: 'required' },
  ]);
  expect((await client.post(wave, 'move', { accounts: [], ...REASON })).body.code).toBe('validation_failed');
});

test('pauses, resumes and cancels a wave that waits for its plan, also repeatedly', async () => {
  const wave = await client.open({ plan: { create_from: '2199-01-01T00:00:00Z' } });
  await pool.query("update wave set status = 'SCHEDULED' where id = $1", [wave]);
  for (const call of [client.post, client.operate]) {
    for (let times = 1; times <= 2; times += 1) {
      expect((await call(wave, 'pause')).body).toMatchObject({ status: 'PAUSED', paused_because: 'asked' });
    }
    for (let times = 1; times <= 2; times += 1) {
      expect((await call(wave, 'resume')).body).toMatchObject({ status: 'SCHEDULED', paused_because: null });
    }
    expect((await call(wave, 'create')).body.status).toBe('SCHEDULED');
  }
  expect((await client.operate(wave, 'cancel')).body.status).toBe('CANCELLED');
  expect((await client.post(wave, 'cancel')).body.status).toBe('CANCELLED');
});

test('accounts are added by number, a line at a time', async () => {
  const wave = await client.open();
  const { token } = client.jobs;
  const add = (body: string, type = 'application/x-ndjson') =>
    service.call('PUT', `${WAVES}${wave}/accounts/`, {
      token,
      body: Buffer.from(body),
      headers: { 'content-type': type },
    });
  expect(
    (await add('{"external_account_number":"X-1"}\n[]\n{"external_account_number":7}\n{oops\n')).body,
  ).toMatchObject({
    added: 0,
    rejected: 4,
    rejected_lines: [
      { line: 1, code: 'import_process_does_not_exist' },
      { line: 2, code: 'invalid' },
      { line: 3, code: 'invalid' },
      { line: 4, code: 'invalid' },
    ],
  });
  expect((await add('\n\n')).body.code).toBe('parse_error');
  expect((await add('{}', 'application/json')).status).toBe(415);
  expect((await add('\n'.repeat(1_000_300))).body.code).toBe('request_too_large');
  const otherJob = await service.call('POST', '/v1/data-import/import-jobs/', {
    token,
    body: { import_supplier: 'SUPPLIER_FR', kind: 'accounts', goal: 'STAGE', wave_id: UNKNOWN, selection: 'wave' },
  });
  expect(otherJob.body.errors.map(({ attr }: { attr: string }) => attr)).toEqual(['selection']);
  const unknownWave = await service.call('POST', '/v1/data-import/import-jobs/', {
    token,
    body: { import_supplier: 'SUPPLIER_FR', kind: 'accounts', goal: 'STAGE', wave_id: UNKNOWN },
  });
  expect(unknownWave.body.errors).toMatchObject([{ attr: 'wave_id', code: 'invalid_choice' }]);
});

const NO_PLAN = {
  create_from: null,
  create_until: null,
  supply_start_from: null,
  supply_start_to: null,
  expected_accounts: null,
};

test('nobody decides about an approval that nobody asked for, or about their own', async () => {
  const wave = await client.open();
  for (const verb of ['approve', 'decline']) {
    expect((await client.operate(wave, verb, REASON)).body.code).toBe('wave_status_forbids');
  }
  const asker = await operatorKey(service, 'asker');
  await pool.query(
    `insert into wave_approval (id, wave_id, purpose, requested_by, requested_by_id, request_reason, content_hash, members, planned, plan_revision)
     select gen_random_uuid(), $1, 'creation', 'Ops / asker', 'api-keys/' || id, 'x', sha256('changed'), 1, $2, 1 from api_key where name = 'asker'`,
    [wave, JSON.stringify({ plan: NO_PLAN, options: {} })],
  );
  for (const verb of ['approve', 'decline']) {
    expect((await client.operate(wave, verb, REASON, asker)).body.code).toBe('second_person_required');
  }
  expect((await client.operate(wave, 'approve', REASON)).body.code).toBe('wave_changed');
  expect((await client.operate(wave, 'decline', REASON)).status).toBe(200);
  expect(await client.gates(wave)).toMatchObject({ approved: 'blocked' });
});

test('an organization with too many open jobs cannot rehearse another wave', async () => {
  const wave = await client.open();
  await pool.query(
    `insert into import_job (id, import_supplier, organisation, api_key_id, kind, goal, selection)
     select gen_random_uuid(), 'SUPPLIER_FR', w.organisation, w.api_key_id, 'notes', 'IMPORT', 'uploaded' from wave w, generate_series(1, 100) where w.id = $1`,
    [wave],
  );
  await pool.query(
    `insert into import_process (id, import_supplier, external_account_number, payload_hash, validated_with)
     values (gen_random_uuid(), 'SUPPLIER_FR', 'Y-1', sha256('x'), 'x')`,
  );
  await client.add(wave, ['Y-1']);
  for (const call of [client.post, client.operate]) expect((await call(wave, 'rehearse')).body.code).toBe('throttled');
});

test('a single account is staged into a wave, and into no second one', async () => {
  const [wave, other] = [await client.open(), await client.open()];
  const stage = (id: string) =>
    service.call('POST', `/v1/data-import/account-import-process/create-or-update/?wave_id=${id}`, {
      token: client.jobs.token,
      body: waveAccount('Z-1'),
    });
  expect((await stage(UNKNOWN)).body.errors).toMatchObject([{ attr: 'wave_id', code: 'invalid_choice' }]);
  expect((await stage(wave)).status).toBe(201);
  expect((await stage(wave)).status).toBe(200);
  expect((await stage(other)).body.code).toBe('account_in_another_wave');
  const { rows } = await pool.query('select count(*)::integer as count from wave_account where wave_id = $1', [wave]);
  expect(rows[0].count).toBe(1);
});
