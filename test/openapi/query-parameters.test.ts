import { afterAll, expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { startService } from '../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument;

interface Parameter {
  name: string;
  in: string;
  example: string | number;
  schema: { type: string; enum?: string[]; minLength?: number; pattern?: string };
}

/** Every query parameter of every operation, with a path whose parameters are the examples. */
function queryParameters() {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, operation]: [string, any]) => {
      const parameters = ((operation.parameters ?? []) as Parameter[]).filter((one) => one.in !== undefined);
      const path = template.replace(/\{(\w+)\}/g, (_all, name) =>
        encodeURIComponent(parameters.find((one) => one.name === name)?.example ?? 'X'),
      );
      return parameters
        .filter((one) => one.in === 'query')
        .map((parameter) => ({ method: method.toUpperCase(), path, parameter, role: operation['x-role'] as string }));
    }),
  );
}

test('rejects a repeated or empty query parameter in every operation', async () => {
  const tokens: Record<string, string> = {
    supplier: await service.supplierToken(['SUPPLIER_FR']),
    operator: service.operatorToken,
  };
  const found = queryParameters();
  expect(found.length).toBeGreaterThan(40);
  for (const { method, path, parameter, role } of found) {
    const { name, schema, example } = parameter;
    const code = schema.enum === undefined ? 'invalid' : 'invalid_choice';
    const value = encodeURIComponent(String(example));
    const send = (query: string) =>
      service.call(method, `${path}?${query}`, { token: tokens[role], ...(method === 'GET' ? {} : { body: {} }) });
    const answers = [await send(`${name}=${value}&${name}=${value}`)];
    if (schema.minLength !== 0) answers.push(await send(`${name}=`));
    for (const { status, body } of answers) {
      expect([method, path, status, body.errors]).toEqual([
        method,
        path,
        400,
        expect.arrayContaining([expect.objectContaining({ attr: name, code })]),
      ]);
    }
  }
});
