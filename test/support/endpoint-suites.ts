// Tests of responses that several operations share; the test file of each operation calls them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addAccounts, attachmentCalls } from './attachments.ts';
import { startService, type Service } from './harness.ts';
import { insertProcesses } from './import-process-lists.ts';

/** Starts the API for the tests of a suite. */
function serviceOfSuite(): () => Service {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ temporal: false });
  });
  afterAll(async () => {
    await service.stop();
  });
  return () => service;
}

/**
 * The 401 of an operation, the 413 if it accepts a body, and the 404 if it attaches items to an account.
 * @param attached kind of the attachments, and valid items
 */
export function rejectionSuite(
  method: 'GET' | 'POST',
  path: string,
  attached?: { kind: AttachmentKind; items: object[] },
): void {
  const service = serviceOfSuite();
  testTokens(service, method, path);
  if (method === 'POST') testBodyLimit(service, path);
  if (attached) testUnknownAccounts(service, attached.kind, attached.items);
}

type AttachmentKind = 'notes' | 'transactions' | 'statements';

/** The 401 of an operation. */
export function testTokens(service: () => Service, method: 'GET' | 'POST', path: string): void {
  test.each([
    ['not_authenticated', undefined],
    ['authentication_failed', 'gwa_unknown'],
    ['authentication_failed', `gwa_${'x'.repeat(43)}`],
  ])('%s: rejects token %s', async (code, token) => {
    const answer = await service().call(method, path, {
      ...(token === undefined ? {} : { token }),
      ...(method === 'POST' ? { body: {} } : {}),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Token');
    expect(answer.body).toMatchObject({ code, errors: [] });
  });
}

function testBodyLimit(service: () => Service, path: string): void {
  test('rejects a body over 1 MB', async () => {
    const token = await service().supplierToken(['SUPPLIER_FR']);
    const answer = await service().call('POST', path, { token, body: { padding: 'x'.repeat(1_050_000) } });
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ code: 'request_too_large', errors: [] });
  });
}

function testUnknownAccounts(service: () => Service, kind: AttachmentKind, items: object[]): void {
  test('answers alike for an account that is unknown, only staged, or of another supplier', async () => {
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

  test('reports violations of the payload first', async () => {
    const own = attachmentCalls(service(), await service().supplierToken(['SUPPLIER_FR']));
    expect((await own[kind]('NOBODY', [{}])).status).toBe(400);
  });
}
