import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { declaredOperations } from '../../src/openapi/pages.ts';
import type { KeyScope } from '../../src/vocabulary/key-roles.ts';
import type { OpenApiOperation } from '../../src/platform/http/route-openapi.ts';
import { allRoutes } from '../support/openapi-document.ts';
import { startService, type Service } from '../support/harness.ts';

// Every operation with every kind of key, over the wire.

const operations = declaredOperations(allRoutes()).filter(({ access }) => access !== 'public');
const operator = operations.filter(({ access }) => access === 'operator');
const supplier = operations.filter(({ access }) => access === 'supplier');

const MARKET_MESSAGES = ['receiveMarketMessages'];
/** What only a key of the scope all may do; all else that operators do is a day's work, which `operate` is for. */
const ADMINISTRATORS = [
  'createApiKey',
  'endPersonSession',
  'endSessionsOfPerson',
  'putCreateAccountConcurrencyLimit',
  'putImportSupplier',
  'putOperationsTeam',
  'putOrganisation',
  'revokeApiKey',
];

let service: Service;
let tokens: Record<'supplier' | KeyScope, string>;
beforeAll(async () => {
  service = await startService({ temporal: false });
  const restricted = async (scope: string): Promise<string> => {
    const { api_key: key } = (
      await service.call('POST', '/v1/operations/api-keys/', {
        token: service.operatorToken,
        body: { organisation: 'Ops', name: scope, role: 'operator', scope },
      })
    ).body;
    return (
      await service.call('POST', '/graphql/', {
        body: { query: `mutation { obtainToken(input: { APIKey: "${key}" }) { token } }` },
      })
    ).body.data.obtainToken.token;
  };
  tokens = {
    supplier: await service.supplierToken(['SUPPLIER_FR']),
    all: service.operatorToken,
    operate: await restricted('operate'),
    read: await restricted('read'),
    market_messages: await restricted('market_messages'),
  };
});
afterAll(async () => {
  await service.stop();
});

const pathOf = ({ path, openApi }: OpenApiOperation) =>
  `${path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(openApi.path?.[name]?.example ?? name)))}/`;

/** Whether a key may call an operation at all. The body is no JSON, so that nothing is done by those who may. */
async function isLetIn(operation: OpenApiOperation, token: string): Promise<boolean> {
  const hasBody = operation.bodyLimitBytes !== undefined;
  const { status, body } = await service.call(operation.method, pathOf(operation), {
    token,
    ...(hasBody ? { body: '{"half":' } : {}),
  });
  expect([operation.openApi.operationId, status === 403]).toEqual([
    operation.openApi.operationId,
    body.code === 'permission_denied',
  ]);
  return status !== 403;
}

async function letInBy(kind: keyof typeof tokens, wanted: readonly OpenApiOperation[]): Promise<string[]> {
  const ids: string[] = [];
  for (const operation of wanted) if (await isLetIn(operation, tokens[kind])) ids.push(operation.openApi.operationId);
  return ids.sort();
}

const idsOf = (wanted: readonly OpenApiOperation[]) => wanted.map(({ openApi }) => openApi.operationId).sort();

test('a key of the scope read reaches what only shows, and nothing else', async () => {
  expect(await letInBy('read', operations)).toEqual(idsOf(operator.filter(({ method }) => method === 'GET')));
});

test('a key of the scope operate reaches all that operators do by day, and nothing of administrators', async () => {
  const daily = operator.filter(({ openApi }) => !ADMINISTRATORS.includes(openApi.operationId));
  expect(await letInBy('operate', operations)).toEqual(idsOf(daily));
});

test('a key of the scope market_messages hands in market messages, and does nothing else', async () => {
  expect(await letInBy('market_messages', operations)).toEqual(MARKET_MESSAGES);
});

test("a supplier's key reaches no operation of operators, and all of its own", async () => {
  expect(await letInBy('supplier', operations)).toEqual(idsOf(supplier));
});

test('an unrestricted operator key reaches everything', async () => {
  // What takes no body would be done: it is left to the suites of those operations.
  const harmless = operations.filter(({ method, bodyLimitBytes }) => method === 'GET' || bodyLimitBytes !== undefined);
  expect(await letInBy('all', harmless)).toEqual(idsOf(harmless));
});

test('the OpenAPI document tells which scopes may call an operation', async () => {
  const { body: document } = await service.call('GET', '/openapi.json');
  const told = Object.values(document.paths as Record<string, Record<string, any>>)
    .flatMap((methods) => Object.values(methods))
    .filter((one) => one['x-role'] === 'operator');
  expect(
    told
      .filter((one) => one['x-scopes'].includes('read'))
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual(idsOf(operator.filter(({ method }) => method === 'GET')));
  expect(
    told.filter((one) => one['x-scopes'].includes('market_messages')).map(({ operationId }) => operationId),
  ).toEqual(MARKET_MESSAGES);
  expect(
    told
      .filter((one) => !one['x-scopes'].includes('operate'))
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual(ADMINISTRATORS);
  expect(told.every((one) => one['x-scopes'].includes('all'))).toBe(true);
});
