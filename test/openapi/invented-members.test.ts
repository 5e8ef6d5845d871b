import { afterAll, expect, test } from '@jest/globals';
import { validateAgainstOpenApi } from '../support/openapi-document.ts';
import { startService } from '../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const PATH = '/v1/operations/import-suppliers/SUPPLIER_FR/';

test.each(['.5', 'a.b', 'name.5', 'options.0.x', '..'])(
  'reports an invented member of an operator by its name, including dots: %s',
  async (name) => {
    // The call compares the response with the OpenAPI document.
    const answer = await service.call('PUT', PATH, { token: service.operatorToken, body: { [name]: 1 } });
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [expect.objectContaining({ attr: name, code: 'invalid' })],
    ]);
    const [error] = answer.body.errors;
    const ofOtherCode = { ...answer, body: { ...answer.body, errors: [{ ...error, code: 'required' }] } };
    expect(() => validateAgainstOpenApi('PUT', PATH, ofOtherCode)).toThrow(`does not declare required for ${name}`);
  },
);

test('returns no paths to suppliers that the OpenAPI document does not have', async () => {
  const path = '/v1/data-import/notes/create/';
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const answer = await service.call('POST', path, { token, body: { '.5': 1 } });
  expect(answer.status).toBe(400);
  const [error] = answer.body.errors;
  const ofOtherPlace = { ...answer, body: { ...answer.body, errors: [{ ...error, attr: '.5', code: 'invalid' }] } };
  expect(() => validateAgainstOpenApi('POST', path, ofOtherPlace)).toThrow('does not declare invalid for .5');
});
