import { afterAll, expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { startService } from '../support/harness.ts';
import { anything, mutate, mutation, text, toText } from '../support/hostile-values.ts';

/** More by hand: `FUZZ_RUNS=10000 npm run -s jest -- test/openapi/fuzzed-requests`. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 500);

type Node = Record<string, any>;

// No vendor is reachable: a verification is answered as pending after a short timeout.
const service = await startService({ worker: true, settings: { PAYMENT_TIMEOUT_MS: '300' } });
afterAll(() => service.stop());
const document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument;
const tokens: Record<string, string | undefined> = {
  supplier: await service.supplierToken(['SUPPLIER_FR']),
  operator: service.operatorToken,
  malformed: 'gwa_x',
  none: undefined,
};

interface Operation {
  method: string;
  template: string;
  node: Node;
}

function operations(): Operation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, node]) => ({ method: method.toUpperCase(), template, node })),
  );
}

function resolved(node: Node | undefined): Node {
  const reference = node?.['$ref'] as string | undefined;
  return reference === undefined
    ? (node ?? {})
    : resolved(
        reference
          .slice(2)
          .split('/')
          .reduce((value: any, key) => value[key], document),
      );
}

/** Values that fit a schema mostly: its types, sets and members, with random exceptions. */
function valueOf(schema: Node, depth = 0): fc.Arbitrary<unknown> {
  const node = resolved(schema);
  const fitting = (): fc.Arbitrary<unknown> => {
    if (node['const'] !== undefined) return fc.constant(node['const']);
    if (node['enum'] !== undefined) return fc.constantFrom(...(node['enum'] as unknown[]));
    const variants = (node['oneOf'] ?? node['anyOf']) as Node[] | undefined;
    if (variants !== undefined) return fc.oneof(...variants.map((variant) => valueOf(variant, depth)));
    const type = Array.isArray(node['type']) ? node['type'][0] : node['type'];
    if (type === 'object' && depth < 8) return memberValues(node, depth);
    if (type === 'array' && depth < 8) return fc.array(valueOf(node['items'] ?? {}, depth + 1), { maxLength: 3 });
    if (type === 'integer') return fc.integer();
    if (type === 'number') return fc.double({ noNaN: true });
    if (type === 'boolean') return fc.boolean();
    if (node['format'] === 'date') return fc.constantFrom('2026-01-01', '2024-02-29', '2027-12-31');
    if (node['format'] === 'date-time') return fc.constantFrom('2026-01-01T00:00:00Z', '2024-02-29T23:59:59+14:00');
    return type === 'string'
      ? fc.oneof(fc.constantFrom('SUPPLIER_FR', 'EXT-1', 'Migration', 'gocardless', '20000000000000'), text)
      : anything;
  };
  return fc.oneof({ weight: 12, arbitrary: fitting() }, { weight: 1, arbitrary: anything });
}

function memberValues(node: Node, depth: number): fc.Arbitrary<unknown> {
  const members = Object.entries((node['properties'] ?? {}) as Record<string, Node>).map(
    ([key, member]) => [key, valueOf(member, depth + 1)] as const,
  );
  return fc.record(Object.fromEntries(members), {
    requiredKeys: ((node['required'] ?? []) as string[]).filter((key) => members.some(([name]) => name === key)),
  });
}

/** A body by the schema, or an example of the OpenAPI document with changes. */
function bodyOf({ node }: Operation): fc.Arbitrary<string | undefined> {
  const content = resolved(node['requestBody'])['content']?.['application/json'] as Node | undefined;
  if (content === undefined) return fc.constant(undefined);
  const examples = Object.values((content['examples'] ?? {}) as Record<string, Node>).map(
    (example) => resolved(example)['value'] as unknown,
  );
  const changed = fc
    .tuple(fc.constantFrom(...examples), fc.array(mutation, { maxLength: 3 }))
    .map(([example, mutations]) => {
      const body = structuredClone(example);
      for (const one of mutations) mutate(body, one);
      return body;
    });
  return fc.oneof(...(examples.length > 0 ? [changed] : []), valueOf(content['schema'])).map(toText);
}

const inPath = (value: string) => encodeURIComponent(value.toWellFormed()).slice(0, 2_000);

function pathOf({ template, node }: Operation): fc.Arbitrary<string> {
  const parameters = ((node['parameters'] ?? []) as Node[]).map(resolved);
  const valueFor = (parameter: Node) =>
    fc
      .oneof(fc.constant(String(parameter['example'] ?? parameter['schema']?.example ?? 'SUPPLIER_FR')), text)
      .map(inPath);
  const inPlace = parameters.filter((parameter) => parameter['in'] === 'path');
  const inQuery = parameters.filter((parameter) => parameter['in'] === 'query');
  return fc
    .tuple(
      fc.tuple(...inPlace.map(valueFor)),
      fc.tuple(...inQuery.map((parameter) => fc.option(valueFor(parameter)))),
      fc.constantFrom('', '/'),
    )
    .map(([values, queries, slash]) => {
      const path = inPlace.reduce(
        (written, { name }, index) => written.replace(`{${name}}`, values[index] || '-'),
        template,
      );
      const query = inQuery
        .flatMap(({ name }, index) => (queries[index] === null ? [] : [`${name}=${queries[index]}`]))
        .join('&');
      return `${path.replace(/\/$/, '')}${slash}${query === '' ? '' : `?${query}`}`;
    });
}

function requestOf(
  operation: Operation,
): fc.Arbitrary<{ method: string; path: string; body: string | undefined; role: string }> {
  const [needed] = (operation.node['x-roles'] ?? []) as string[];
  const usual = needed ?? (operation.template.includes('/operations/') ? 'operator' : 'supplier');
  return fc.record({
    method: fc.constant(operation.method),
    path: pathOf(operation),
    body: bodyOf(operation),
    role: fc.oneof(
      { weight: 12, arbitrary: fc.constant(usual) },
      { weight: 1, arbitrary: fc.constantFrom('supplier', 'operator', 'malformed', 'none') },
    ),
  });
}

test('answers unusual values of every query parameter as documented', async () => {
  const odd = ['', '%00', '%F0%9F%98', '%ED%A0%80', '-1', `${'9'.repeat(40)}`, 'x'.repeat(2_000), '%F0%9F%98%80'];
  const refused = new Set<string>();
  for (const operation of operations().filter(({ method }) => method === 'GET')) {
    const parameters = ((operation.node['parameters'] ?? []) as Node[]).map(resolved);
    const path = parameters
      .filter((parameter) => parameter['in'] === 'path')
      .reduce((made, { name, example }) => made.replace(`{${name}}`, inPath(String(example))), operation.template);
    const token = operation.template.includes('/operations/') ? tokens['operator'] : tokens['supplier'];
    for (const { name } of parameters.filter((parameter) => parameter['in'] === 'query')) {
      for (const value of odd) {
        const { status, body } = await service.call('GET', `${path}?${name}=${value}`, { token, isDrawn: true });
        expect(status).toBeLessThan(500);
        for (const { code } of body?.errors ?? []) refused.add(code);
      }
    }
  }
  expect([...refused]).toEqual(expect.arrayContaining(['invalid', 'max_length', 'null_characters_not_allowed']));
});

test('answers every generated request as documented, without an internal error', async () => {
  const statuses = new Map<number, number>();
  const any = fc.oneof(...operations().map(requestOf));
  await fc.assert(
    fc.asyncProperty(any, async ({ method, path, body, role }) => {
      const { status, body: answer } = await service.call(method, path, { token: tokens[role], body, isDrawn: true });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(`${method} ${path} ${body ?? ''}: ${answer?.code}`).not.toMatch(/: error$/);
    }),
    {
      numRuns: RUNS,
      endOnFailure: true,
      reporter: (run) => {
        if (run.failed) {
          throw new Error(
            `seed ${run.seed}, path ${run.counterexamplePath}: ${String(run.errorInstance).slice(-1_500)}`,
          );
        }
      },
    },
  );
  if (process.env['FIGURES']) {
    process.stdout.write(`${RUNS} requests: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);
  }
  // Not only rejections by the schema: some requests are accepted, some not found, some rejected by role.
  for (const status of [200, 400, 403, 404]) expect(statuses.get(status)).toBeGreaterThan(0);
}, 3_600_000);
