import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const put = (code: string, body: unknown) =>
  service.call('PUT', `/v1/operations/import-suppliers/${code}/`, { token: service.operatorToken, body });

test('creates a supplier as Ongoing with its code as name, and audits it', async () => {
  const answer = await put('NEW-1', {});
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    code: 'NEW-1',
    name: 'NEW-1',
    status: 'Ongoing',
    document_root: null,
    options: {},
    options_revision: 1,
    reason: null,
  });
  const { body } = await service.call('GET', '/v1/operations/audit/?subject=import-suppliers/NEW-1', {
    token: service.operatorToken,
  });
  expect(body).toMatchObject([
    { action: 'import_supplier.created', before: null, after: { code: 'NEW-1', status: 'Ongoing' } },
  ]);
});

test('accepts all members at once', async () => {
  const sent = {
    name: 'Électricité du Nord',
    status: 'Paused',
    document_root: 's3://nord/',
    options: { closed_value_sets: { sales_channel: ['MOVE'] } },
    reason: 'starts in May',
  };
  const answer = await put('NORD', sent);
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ code: 'NORD', ...sent, options_revision: 2 });
});

test('creates one supplier for ten concurrent requests, with one 201 and one audit entry', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => put('TEN', { name: 'Ten' })));
  expect(answers.map(({ status }: { status: number }) => status).sort()).toEqual([
    200, 200, 200, 200, 200, 200, 200, 200, 200, 201,
  ]);
  const { body } = await service.call('GET', '/v1/operations/audit/?subject=import-suppliers/TEN', {
    token: service.operatorToken,
  });
  expect(body).toHaveLength(1);
});
