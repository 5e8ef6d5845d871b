import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const service = await startService();
afterAll(() => service.stop());
await until(() => service.gateway.isReady());

test.each([
  ['not an id', 'what?!'],
  ['an unknown id', Buffer.from('create-account/SUPPLIER_FR/NOBODY').toString('base64url')],
  ['an id with U+0000', Buffer.from('a\0').toString('base64url')],
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe]).toString('base64url')],
])('answers 404 for %s, and audits nothing', async (_what, id) => {
  const answer = await service.call('POST', `/v1/operations/stuck/${encodeURIComponent(id)}/retry/`, {
    token: service.operatorToken,
  });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
  expect(
    (await service.call('GET', '/v1/operations/audit/?action=stuck.retried', { token: service.operatorToken })).body,
  ).toEqual([]);
});
