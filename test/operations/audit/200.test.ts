import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const get = (query: string) => service.call('GET', `/v1/operations/audit/${query}`, { token: service.operatorToken });

test('returns the newest changes first, up to the limit', async () => {
  for (const name of ['One', 'Two', 'Three']) {
    await service.call('PUT', `/v1/operations/operations-teams/${name}/`, { token: service.operatorToken, body: {} });
  }
  const { status, body } = await get('?limit=2');
  expect(status).toBe(200);
  expect(body.map(({ subject }: { subject: string }) => subject)).toEqual([
    'operations-teams/Three',
    'operations-teams/Two',
  ]);
  expect((await get('?subject=operations-teams/One')).body).toHaveLength(1);
  expect((await get('?action=nothing.happened')).body).toEqual([]);
});

test('audits reads with an operator key, repeated ones once a minute', async () => {
  for (let time = 0; time < 3; time += 1) {
    await service.call('GET', '/v1/operations/stuck/?account=SUPPLIER_FR%2FA%201', { token: service.operatorToken });
  }
  await service.call('GET', '/v1/operations/api-keys/', { token: service.operatorToken });
  await service.call('GET', '/v1/operations/import-suppliers/NOBODY/', { token: service.operatorToken });
  const reads = (await get('?action=operations.read')).body;
  const subjects = reads.map(({ subject }: { subject: string }) => subject);
  expect(subjects.filter((subject: string) => subject.startsWith('stuck'))).toEqual([
    'stuck?account=SUPPLIER_FR%2FA+1',
  ]);
  expect(subjects).toContain('api-keys');
  // A read of nothing is not audited.
  expect(subjects.filter((subject: string) => subject.includes('NOBODY'))).toEqual([]);
  expect(reads[0].actor.key_id).toMatch(/^[0-9a-f-]{36}$/);
});

test('answers a read that the database cannot audit, and audits the next one', async () => {
  const { pool } = service.database;
  await pool.query('alter table audit_entry add constraint closed check (false) not valid');
  const refused = await service.call('GET', '/v1/operations/operations-teams/', { token: service.operatorToken });
  await pool.query('alter table audit_entry drop constraint closed');
  // A read whose audit entry is rejected is answered too, and logged as such.
  expect(refused.status).toBe(200);
  await service.call('GET', '/v1/operations/operations-teams/', { token: service.operatorToken });
  expect((await get('?action=operations.read&subject=operations-teams')).body).toHaveLength(1);
});

test('audits market messages with their sender', async () => {
  const message = {
    message_id: 'AUDIT-1',
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'A-1',
    outcome: 'ACCEPTED',
    occurred_at: '2026-01-01T00:00:00Z',
  };
  await service.call('POST', '/v1/operations/market-messages/', { token: service.operatorToken, body: [message] });
  expect((await get('?action=market_messages.received')).body).toMatchObject([
    { subject: 'market-messages', after: { count: 1, message_ids: ['AUDIT-1'] } },
  ]);
});

test('audits log-ins with the key, and rejected ones with their address and the beginning of the key', async () => {
  const { body: key } = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Acme', name: 'importer', role: 'supplier', import_suppliers: ['SUPPLIER_FR'] },
  });
  const logIn = (secret: string) =>
    service.call('POST', '/graphql/', {
      body: { query: `mutation { obtainToken(input: {APIKey: "${secret}"}) { token refreshToken } }` },
    });
  const wrong = key.api_key.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));
  expect((await logIn(key.api_key)).body.data.obtainToken.token).toMatch(/^gwa_/);
  expect((await logIn(wrong)).body.errors).toHaveLength(1);
  expect((await get(`?subject=api-keys/${key.id}&action=token.issued`)).body).toMatchObject([
    { actor: { key_id: key.id, name: 'Acme / importer' }, after: { by: 'key', network: expect.any(String) } },
  ]);
  // Strings that no database accepts are audited, too, so that no attempt goes unnoticed.
  for (const trap of ['gwk_\\u0000', 'gwk_1234567\\ud83d\\ude00']) await logIn(trap);
  const refused = (await get('?action=token.refused')).body;
  expect(refused).toMatchObject([
    { after: { begins_with: 'gwk_1234567\u{fffd}' } },
    { after: { begins_with: 'gwk_\u{fffd}' } },
    {
      actor: { key_id: null, name: 'unknown' },
      after: { network: expect.any(String), begins_with: expect.stringMatching(/^gwk_/) },
    },
  ]);
  expect(wrong.startsWith(refused[2].after.begins_with)).toBe(true);
  expect(refused[2].after.begins_with.length).toBeLessThan(13);
});
