// What several operations answer alike: each of their test files names its operation.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addAccounts, attachmentCalls } from './attachments.ts';
import { startService, type Service } from './harness.ts';
import { insertProcesses } from './import-process-lists.ts';

/** Starts the API for the tests of a suite. */
function serviceOfSuite(): { (): Service } {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ temporal: false });
  });
  afterAll(async () => {
    await service.stop();
  });
  return () => service;
}

/** The 401 of an operation. */
export function tokenSuite(method: 'GET' | 'POST', path: string): void {
  const service = serviceOfSuite();
  test.each([
    ['not_authenticated', undefined],
    ['authentication_failed', 'gwa_unknown'],
    ['authentication_failed', `gwa_${'x'.repeat(43)}`],
  ])('%s: token %s', async (code, token) => {
    const answer = await service().call(method, path, {
      ...(token === undefined ? {} : { token }),
      ...(method === 'POST' ? { body: {} } : {}),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Token');
    expect(answer.body).toMatchObject({ code, errors: [] });
  });
}

/** The 413 of an operation that takes bodies of up to 1 MB. */
export function largeBodySuite(path: string): void {
  const service = serviceOfSuite();
  test('a body over 1 MB is not taken', async () => {
    const token = await service().supplierToken(['SUPPLIER_FR']);
    const answer = await service().call('POST', path, { token, body: { padding: 'x'.repeat(1_050_000) } });
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ code: 'request_too_large', errors: [] });
  });
}

/**
 * The 404 of an operation that attaches something to an account.
 * @param items that it takes
 */
export function unknownAccountSuite(kind: 'notes' | 'transactions' | 'statements', items: object[]): void {
  const service = serviceOfSuite();
  test('an account that is unknown, only staged, or of another supplier: all look the same', async () => {
    await service().call('PUT', '/v1/operations/import-suppliers/HIDDEN/', {
      token: service().operatorToken,
      body: {},
    });
    await addAccounts(service(), ['THERE']);
    await insertProcesses(service().database, 'SUPPLIER_FR', ['STAGED'], 'staged');
    await insertProcesses(service().database, 'SUPPLIER_FR', ['SKIPPED'], 'skipped');
    const own = attachmentCalls(service(), await service().supplierToken(['SUPPLIER_FR']));
    const foreign = attachmentCalls(service(), await service().supplierToken(['HIDDEN']));
    const answers = await Promise.all([
      ...['STAGED', 'SKIPPED', 'NOBODY', 'there'].map((external) => own[kind](external, items)),
      foreign[kind]('THERE', items),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: 'account_not_found', errors: [] });
      expect(answer.body.detail).toBe(answers[0].body.detail);
    }
    expect((await own[kind]('THERE', items)).status).toBe(201);
  });

  test('faults of the payload come first', async () => {
    const own = attachmentCalls(service(), await service().supplierToken(['SUPPLIER_FR']));
    expect((await own[kind]('NOBODY', [{}])).status).toBe(400);
  });
}
