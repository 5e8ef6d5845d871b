import { hash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

test('shows a key once, stores only its hash, and keeps it out of the audit', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/ACME/', { token: service.operatorToken, body: {} });
  const answer = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: {
      organisation: 'Acme',
      name: 'importer',
      role: 'supplier',
      import_suppliers: ['ACME', 'ACME'],
      reason: 'go-live',
    },
  });
  expect(answer.status).toBe(201);
  const { id, api_key: secret } = answer.body;
  expect(Object.keys(answer.body).sort()).toEqual(['api_key', 'id']);
  expect(secret).toMatch(/^gwk_[A-Za-z0-9_-]{43}$/);

  const { rows } = await service.database.pool.query(
    'select row_to_json(k)::text as text, secret_sha256 from api_key k where id = $1',
    [id],
  );
  expect(rows[0].text).not.toContain(secret);
  expect(rows[0].secret_sha256).toEqual(hash('sha256', secret, 'buffer'));

  const list = await service.call('GET', '/v1/operations/api-keys/', { token: service.operatorToken });
  const listed = list.body.find((key: { id: string }) => key.id === id);
  expect(listed).toEqual({
    id,
    organisation: 'Acme',
    name: 'importer',
    role: 'supplier',
    scope: 'all',
    import_suppliers: ['ACME'],
    starts_with: secret.slice(0, 12),
    created_at: expect.any(String),
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
  });
  const audit = await service.call('GET', `/v1/operations/audit/?subject=api-keys/${id}`, {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([{ action: 'api_key.created', before: null, after: listed, reason: 'go-live' }]);
  expect(JSON.stringify(audit.body)).not.toContain(secret);
});

test('gives concurrently created keys of one organisation the same organisation', async () => {
  const make = (name: string) =>
    service.call('POST', '/v1/operations/api-keys/', {
      token: service.operatorToken,
      body: { organisation: 'Shared', name, role: 'operator' },
    });
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map(make));
  expect(answers.map(({ status }: { status: number }) => status)).toEqual([201, 201, 201, 201]);
  const { rows } = await service.database.pool.query(
    "select count(*)::int as count from organisation where name = 'Shared'",
  );
  expect(rows[0].count).toBe(1);
});
