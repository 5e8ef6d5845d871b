import { afterAll, expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { documentedFields, type DocumentedField } from '../support/every-field.ts';
import { startService } from '../support/harness.ts';
import { prototypeWords } from '../support/hostile-values.ts';

const service = await startService({ settings: { PAYMENT_TIMEOUT_MS: '50' } });
afterAll(() => service.stop());
const document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument;
const tokens: Record<DocumentedField['role'], string | undefined> = {
  supplier: await service.supplierToken(['SUPPLIER_FR']),
  operator: service.operatorToken,
  public: undefined,
};

const isText = ({ type }: Record<string, any>) => type === 'string' || (Array.isArray(type) && type.includes('string'));

test.each(prototypeWords)('answers %s in any text field of any operation without an internal error', async (word) => {
  const fields = documentedFields(document, isText);
  expect(fields.length).toBeGreaterThan(200);
  const faults: string[] = [];
  for (const field of fields) {
    const { status, body } = await service.call(field.method, field.path, {
      token: tokens[field.role],
      body: field.bodyWith(word),
    });
    if (status >= 500) faults.push(`${field.method} ${field.path} ${field.attr}: ${status} ${body?.code}`);
  }
  expect(faults).toEqual([]);
});

test.each(prototypeWords)('reports the supply type %s as one that does not exist', async (word) => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR' });
  account.supply_addresses![0]!.supply_points[0]!.supply_type = word as never;
  for (const path of [
    '/v1/data-import/validate-account/',
    '/v1/data-import/account-import-process/create-or-update/',
  ]) {
    const answer = await service.call('POST', path, { token: tokens.supplier, body: account });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'invalid_choice', attr: 'supply_addresses.0.supply_points.0.supply_type' }] },
    });
  }
});

test.each(prototypeWords)('drops members and keys named %s, and keeps them in free values', async (word) => {
  const account = JSON.stringify(
    domesticAccount({ import_supplier: 'SUPPLIER_FR', metadata: [{ key: word, value: { here: 1 } }] }),
  )
    .replace('{"here":1}', `{"${word}":1}`)
    .replace('{', `{"${word}":{"x":1},`)
    .replace('"supply_points":[{', `"supply_points":[{"${word}":[],`);
  const answer = await service.call('POST', '/v1/data-import/validate-account/', {
    token: tokens.supplier,
    body: account,
  });
  expect(answer.status).toBe(200);
  expect(JSON.stringify(answer.body.metadata)).toBe(`[{"key":"${word}","value":{"${word}":1}}]`);
  expect(Object.keys(answer.body)).not.toContain(word);
});
