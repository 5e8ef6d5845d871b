import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { documentedFields } from '../support/every-field.ts';
import { startService, type Service } from '../support/harness.ts';

// The API requires exactly the members, parameters and forms that the contract requires.

type Node = Record<string, any>;

let service: Service;
let document: OpenApiDocument;
let tokens: Record<string, string | undefined>;
beforeAll(async () => {
  service = await startService({ temporal: false });
  document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument;
  tokens = { supplier: await service.supplierToken(['SUPPLIER_FR']), operator: service.operatorToken };
});
afterAll(() => service.stop());

const call = (role: string, method: string, path: string, more: object = {}) =>
  service.call(method, path, { ...(tokens[role] ? { token: tokens[role] } : {}), ...more });

/** Codes of the errors of a response at one place. */
const codesAt = (attr: string, answer: { body: any }): string[] =>
  ((answer.body?.errors ?? []) as Node[]).filter((error) => error['attr'] === attr).map((error) => error['code']);

/** Members that a documented rule requires beside certain values of others. */
const CONDITIONAL = [
  'customers.0.given_name',
  'customers.0.family_name',
  'payment_preferences.0.instruction_reference_params',
  'import_suppliers',
];

test('rejects a body without a required member, and accepts the omission of every optional one', async () => {
  const fields = documentedFields(document, () => true).filter(({ attr }) => attr !== '' && !/(?:^|\.)\d+$/.test(attr));
  const wrong: string[] = [];
  const counts = { required: 0, optional: 0 };
  for (const { role, method, path, attr, isRequired, bodyWith } of fields) {
    // JSON omits a member that is undefined.
    const answer = await call(role, method, path, { body: bodyWith(undefined) });
    const codes = codesAt(attr, answer);
    const isRejected = answer.status === 400 && codes.includes('required');
    counts[isRequired ? 'required' : 'optional'] += 1;
    if (isRequired ? !isRejected : codes.length > 0 && !CONDITIONAL.includes(attr)) {
      wrong.push(`${method} ${path} ${attr}: ${isRequired ? 'required' : 'optional'}, ${answer.status} ${codes}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(counts.required).toBeGreaterThan(250);
  expect(counts.optional).toBeGreaterThan(200);
});

interface Operation {
  role: string;
  method: string;
  path: string;
  query: Node[];
}

function operations(): Operation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, node]: [string, Node]) => {
      const parameters = ((node['parameters'] ?? []) as Node[]).filter((one) => one['in'] !== undefined);
      const path = parameters
        .filter((one) => one['in'] === 'path')
        .reduce((made, { name, example }) => made.replace(`{${name}}`, encodeURIComponent(String(example))), template);
      const query = parameters.filter((one) => one['in'] === 'query');
      return { role: node['x-role'] as string, method: method.toUpperCase(), path, query };
    }),
  );
}

const written = ({ name, example }: Node) => `${name}=${encodeURIComponent(String(example))}`;

test('rejects the omission of required query parameters only', async () => {
  const wrong: string[] = [];
  for (const { role, method, path, query } of operations()) {
    const required = query.filter((one) => one['required']);
    const more = method === 'GET' ? {} : { body: {} };
    const answerTo = (sent: Node[]) => call(role, method, `${path}?${sent.map(written).join('&')}`, more);
    const minimal = await answerTo(required);
    for (const { name } of query) {
      if (codesAt(name, minimal).length > 0) wrong.push(`${method} ${path} ${name} is required in fact`);
    }
    for (const omitted of required) {
      const codes = codesAt(omitted['name'], await answerTo(required.filter((one) => one !== omitted)));
      if (codes.length === 0) wrong.push(`${method} ${path} ${omitted['name']} is optional in fact`);
    }
  }
  expect(wrong).toEqual([]);
});

const ID = '0198C0DE-0000-7000-8000-00000000000a';
const CURSORS = [ID, ID.toLowerCase(), 'x', 'a b', 'x=', 'é', '4711-3F0C6F0E', '00-0', '9'.repeat(40)];

test('rejects every cursor that the contract excludes, and accepts ids in any case', async () => {
  const cursors = operations().flatMap((operation) =>
    operation.query
      .filter(({ name, schema }) => ['cursor', 'after'].includes(name) && schema.pattern)
      .map((parameter) => ({ ...operation, parameter })),
  );
  expect(cursors.length).toBeGreaterThan(8);
  const wrong: string[] = [];
  for (const { role, method, path, query, parameter } of cursors) {
    const required = query.filter((one) => one['required']);
    for (const cursor of CURSORS) {
      const sent = [...required, { ...parameter, example: cursor }].map(written).join('&');
      const isRejected = codesAt(parameter['name'], await call(role, method, `${path}?${sent}`)).length > 0;
      const fits = new RegExp(parameter['schema'].pattern, 'u').test(cursor);
      if (!fits && !isRejected) wrong.push(`${path} accepts ${cursor}`);
    }
  }
  expect(wrong).toEqual([]);
  expect((await call('supplier', 'GET', `/v1/data-import/import-jobs/?cursor=${ID}`)).status).toBe(200);
});

test('accepts exactly the Idempotency-Keys of the contract', async () => {
  const { pattern } = (document.components['parameters'] as Node)['Idempotency-Key'].schema;
  const long = 'x'.repeat(255);
  const keys = ['a', '"a"', 'a b', '"a b"', String.raw`"a\"b"`, String.raw`"a\b"`, '""', '"', 'a"b', 'a"', '"a', 'é'];
  keys.push(long, `${long}x`, `"${long}"`, `"${long}x"`, `"${'\\"'.repeat(255)}"`, `"${'\\"'.repeat(256)}"`, 'a\tb');
  for (const key of keys) {
    const headers = { 'idempotency-key': key };
    const { body } = await call('supplier', 'POST', '/v1/data-import/notes/create/', { body: {}, headers });
    const isAccepted = body.code !== 'invalid_idempotency_key';
    expect([key, isAccepted]).toEqual([key, new RegExp(pattern, 'u').test(key)]);
  }
});
