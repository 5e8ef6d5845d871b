import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  token = await service.supplierToken(['SUPPLIER_FR']);
});
afterAll(async () => {
  await service.stop();
});

const validate = (accept: string) =>
  service.call('POST', '/v1/data-import/validate-account/', {
    token,
    body: domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
    headers: { accept },
  });

test.each(['text/html', 'application/xml, text/plain', 'image/*', 'application/json;q=0', 'application/json-seq'])(
  'rejects a client that accepts only %s, in JSON',
  async (accept) => {
    const answer = await validate(accept);
    expect(answer.status).toBe(406);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toEqual(errorBody('not_acceptable'));
  },
);

test.each([
  '*/*',
  'application/*',
  'application/json',
  'text/html, application/json;q=0.1',
  'text/html, */*;q=0.8',
  'application/json; charset=utf-8',
])('%s accepts JSON', async (accept) => {
  expect((await validate(accept)).status).toBe(200);
});
