import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { codesOfOperation, findCodeUses } from '../../src/openapi/code-places.ts';
import { codePage } from '../../src/openapi/code-pages.ts';
import { refusalRemedies, violationRemedies } from '../../src/vocabulary/remedies.ts';
import { publishedDocument } from '../../src/docs/published-document.ts';
import { audiences, publicPath } from '../../src/openapi/openapi-document.ts';
import { refusals } from '../../src/vocabulary/refusals.ts';
import { lineFaultSentences } from '../../src/vocabulary/import-jobs.ts';
import { violationSentences } from '../../src/vocabulary/violations.ts';
import { warningSentences } from '../../src/vocabulary/warnings.ts';
import { allRoutes, openApiDocument } from '../support/openapi-document.ts';

const ROOT = join(import.meta.dirname, '../..');
const document = openApiDocument();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    key: `${method.toUpperCase()} ${path}`,
    operation: operation as Record<string, any>,
  })),
);

test('lists every supplier operation in the guide', async () => {
  const page = await readFile(join(ROOT, 'docs/suppliers/accounts.md'), 'utf8');
  const parametersAlike = (call: string) => call.replaceAll(/<\w+>|\{\w+\}/g, '*');
  const calls = [...page.matchAll(/`(GET|POST) ([a-z][\w/<>-]+\/)`/g)].map(
    ([, method, path]) => `${method} /v1/data-import/${path}`,
  );
  const known = new Set(operations.map(({ key }) => parametersAlike(key)));
  expect(new Set(calls).size).toBe(15);
  expect(calls.filter((call) => !known.has(parametersAlike(call)))).toEqual([]);
});

test.each([undefined, ...audiences])(
  'passes the OpenAPI linter, including examples: document for %s',
  async (audience) => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      await writeFile(file, JSON.stringify(publishedDocument(audience)));
      const bin = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
      // It neither reports its use nor checks for a newer version.
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [bin, 'lint', '--config', join(ROOT, 'redocly.yaml'), '--format=json', file],
        { env },
      );
      expect(JSON.parse(stdout).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test.each(audiences)('the document for %s has the calls that are open to them, and only those', (audience) => {
  const role = audience === 'suppliers' ? 'supplier' : 'operator';
  const part = publishedDocument(audience);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const isOpen = [undefined, role].includes(operation['x-role'] as string | undefined);
      expect(part.paths[path]?.[method]).toEqual(isOpen ? operation : undefined);
    }
  }
  expect(part.webhooks).toEqual(audience === 'suppliers' ? document.webhooks : undefined);
});

test('describes the delivery of events as a webhook with the listed event', () => {
  const { requestBody, parameters } = document.webhooks!['event']!['post'] as any;
  const listed = (document.paths['/v1/data-import/events/']!['get'] as any).responses[200].content['application/json'];
  expect(requestBody.content['application/cloudevents+json'].schema).toEqual(listed.schema.items);
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ]);
});

test('documents every route and serves every documented operation', () => {
  const silent = allRoutes()
    .filter(({ openApi }) => openApi === undefined)
    .map(({ method, path }) => `${method} ${path}: give its route an openApi`);
  expect(silent).toEqual([]);
  const served = new Set(allRoutes().map(({ method, path }) => `${method} ${publicPath(path)}`));
  expect(operations.map(({ key }) => key).filter((key) => !served.has(key))).toEqual([
    'POST /graphql/',
    'POST /oauth/token',
    'GET /.well-known/oauth-authorization-server',
  ]);
  const ids = operations.map(({ operation }) => operation['operationId']);
  expect(ids.length).toBe(new Set(ids).size);
});

test('declares every code of the catalogue of refusals in an operation', () => {
  const declared = new Set(operations.flatMap(({ operation }) => [...codesOfOperation(document, operation)]));
  expect(Object.keys(refusals).filter((code) => !declared.has(code))).toEqual([]);
});

/** Codes that no current field can raise: no string and no list has a minimum length other than one. */
const WITHOUT_FIELD = ['min_length'];

test('declares every violation code in a field', () => {
  const { fields } = findCodeUses(document);
  expect(Object.keys(violationSentences).filter((code) => !fields.has(code))).toEqual(WITHOUT_FIELD);
});

test('has a remedy for every code', () => {
  expect(Object.keys(refusals).filter((code) => !(code in refusalRemedies))).toEqual([]);
  expect(Object.keys(violationSentences).filter((code) => !(code in violationRemedies))).toEqual([]);
});

test('has a page without scripts for every code', () => {
  const codePlaces = findCodeUses(document);
  for (const code of [refusals, violationSentences, warningSentences, lineFaultSentences].flatMap(Object.keys)) {
    const page = codePage(code, codePlaces);
    expect(page).toContain(code);
    expect(page).not.toMatch(/<script|style=|onclick|https?:\/\//);
  }
  expect(codePage('toString', codePlaces)).toBeUndefined();
});

test('publishes no custom keyword, and only schemas that compile under JSON Schema 2020-12', () => {
  expect(JSON.stringify(document)).not.toMatch(/"(?:money|opaque|faultCode|refusedChoices|faultCap)":/);
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
  for (const keyword of ['x-validators', 'discriminator', 'example']) ajv.addKeyword({ keyword });
  for (const format of ['date', 'date-time', 'email', 'uri-reference']) ajv.addFormat(format, true);
  ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'paths', 'webhooks', 'components']);
  ajv.addSchema(document, 'openapi');
  for (const name of Object.keys(document.components['schemas']!)) {
    expect(() => ajv.compile({ $ref: `openapi#/components/schemas/${name}` })).not.toThrow();
  }
});

test('lists the violation codes of each account field', () => {
  const schemas = document.components['schemas'] as Record<string, any>;
  const codesOf = (component: string, field: string) =>
    schemas[component].properties[field]['x-validators'].flatMap((entry: any) => entry.possible_errors);
  expect(codesOf('Customer', 'landline')).toEqual(
    expect.arrayContaining(['invalid', 'max_length', 'invalid_phone_number']),
  );
  expect(codesOf('Customer', 'landline')).not.toContain('null');
  expect(codesOf('SupplyPoint', 'identifier')).toEqual(
    expect.arrayContaining(['required', 'blank', 'invalid_prm', 'invalid_pce']),
  );
  expect(codesOf('Account', 'account_type')).toEqual(
    expect.arrayContaining(['invalid_choice', 'managed_accounts_are_not_allowed']),
  );
  expect(schemas['Account'].required).toEqual(['external_account_number', 'import_supplier']);
});
