import { createHash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const validate = (authorization?: string) =>
  service.call('POST', '/v1/data-import/validate-account/', {
    body: domesticAccount(ours),
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  });
const sha256 = (token: string) => createHash('sha256').update(token).digest();

function expectRefused(answer: Awaited<ReturnType<typeof validate>>, code: string): void {
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Token');
  expect(answer.body).toEqual(errorBody(code));
}

test('answers not_authenticated without a token, whatever the body', async () => {
  expectRefused(await validate(), 'not_authenticated');
  const answer = await service.call('POST', '/v1/data-import/validate-account/', { body: '{not json' });
  expectRefused(answer, 'not_authenticated');
});

test.each([
  ['an unknown token', `Token gwa_${'x'.repeat(43)}`],
  ['another scheme', `Basic gwa_${'x'.repeat(43)}`],
  ['the scheme alone', 'Token'],
  ['a lower-case scheme', `token gwa_${'x'.repeat(43)}`],
  ['two tokens', `Token gwa_${'x'.repeat(43)} gwa_${'y'.repeat(43)}`],
  ['a text of 7,000 characters', `Token ${'a'.repeat(7_000)}`],
  ['quotes and SQL', `Token ' or 1=1 --`],
  ['Latin-1', 'Token é'],
])('answers authentication_failed: %s', async (_name, authorization) => {
  expectRefused(await validate(authorization), 'authentication_failed');
});

test('answers authentication_failed for an expired token', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  await service.database.pool.query(
    `update access_token set expires_at = now() - interval '1 second' where sha256 = $1`,
    [sha256(token)],
  );
  expectRefused(await validate(`Token ${token}`), 'authentication_failed');
});

test('rejects a refresh token', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  await service.database.pool.query(`update access_token set kind = 'refresh' where sha256 = $1`, [sha256(token)]);
  expectRefused(await validate(`Token ${token}`), 'authentication_failed');
});

test.each([
  ['token', 'update access_token set revoked_at = now() where sha256 = $1'],
  ['key', 'update api_key set revoked_at = now() where id = (select api_key_id from access_token where sha256 = $1)'],
])('stops accepting a revoked %s within a second, although it was cached', async (_what, revoke) => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  expect((await validate(`Token ${token}`)).status).toBe(200);
  await service.database.pool.query(revoke, [sha256(token)]);
  await new Promise((resolve) => {
    setTimeout(resolve, 1_000);
  });
  expectRefused(await validate(`Token ${token}`), 'authentication_failed');
});
