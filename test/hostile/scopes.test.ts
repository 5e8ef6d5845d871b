import { afterAll, expect, test } from '@jest/globals';
import { declaredOperations } from '../../src/openapi/pages.ts';
import type { KeyScope } from '../../src/vocabulary/key-roles.ts';
import type { OpenApiOperation } from '../../src/platform/http/route-openapi.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { businessRequest } from '../support/business-payload.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { allRoutes } from '../support/openapi-document.ts';
import { startService } from '../support/harness.ts';

// Every operation with every kind of key, over the wire.

const operations = declaredOperations(allRoutes()).filter(({ access }) => access !== 'public');
const operator = operations.filter(({ access }) => access === 'operator');
const supplier = operations.filter(({ access }) => access === 'supplier');

const MARKET_MESSAGES = ['receiveMarketMessages'];
/** Operations that need an unrestricted key; all others of operators are daily work, which `operate` allows. */
/** Operations for keys with the scopes `approve` and `all`. */
const APPROVALS = ['approveWaveForOperator', 'declineWaveForOperator'];
const ADMINISTRATORS = [
  'changeEventEndpointSecret',
  'createApiKey',
  'createErasure',
  'createEventEndpoint',
  'deleteEventEndpoint',
  'endPersonSession',
  'endSessionsOfPerson',
  'findErasurePreview',
  'findPersonExport',
  'putCreateAccountConcurrencyLimit',
  'putImportSupplier',
  'putOperationsTeam',
  'putOrganisation',
  'revokeApiKey',
];

const service = await startService({ temporal: false });
afterAll(() => service.stop());
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
const tokens: Record<'supplier' | KeyScope, string> = {
  supplier: await service.supplierToken(['SUPPLIER_FR']),
  all: service.operatorToken,
  approve: await restricted('approve'),
  operate: await restricted('operate'),
  read: await restricted('read'),
  market_messages: await restricted('market_messages'),
};

const pathOf = ({ path, openApi }: OpenApiOperation) =>
  `${path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(openApi.path?.[name]?.example ?? name)))}/`;

/** Whether a key may call an operation. The body is not JSON, so that allowed calls have no effect. */
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

/** Operations that return personal data line by line. */
const RESULTS = 'listImportJobResultsForOperator';
const onlyShows = ({ method, openApi }: OpenApiOperation) =>
  (method === 'GET' || openApi.operationId === 'verifyAudit') &&
  ![RESULTS, ...ADMINISTRATORS].includes(openApi.operationId);

test('allows a key with scope read to read, except results of jobs', async () => {
  expect(await letInBy('read', operations)).toEqual(idsOf(operator.filter(onlyShows)));
});

test('allows a key with scope operate daily work, and nothing of administrators', async () => {
  const daily = operator.filter(({ openApi }) => ![...ADMINISTRATORS, ...APPROVALS].includes(openApi.operationId));
  expect(await letInBy('operate', operations)).toEqual(idsOf(daily));
});

test('allows a key with scope approve the daily work and approvals', async () => {
  const daily = operator.filter(({ openApi }) => !ADMINISTRATORS.includes(openApi.operationId));
  expect(await letInBy('approve', operations)).toEqual(idsOf(daily));
});

test('allows a key with scope market_messages to send market messages only', async () => {
  expect(await letInBy('market_messages', operations)).toEqual(MARKET_MESSAGES);
});

test("gives a supplier's key no operator operation, and all supplier operations", async () => {
  expect(await letInBy('supplier', operations)).toEqual(idsOf(supplier));
});

test('allows an unrestricted operator key everything', async () => {
  // Operations without a body would take effect: their own suites cover them.
  const harmless = operations.filter(({ method, bodyLimitBytes }) => method === 'GET' || bodyLimitBytes !== undefined);
  expect(await letInBy('all', harmless)).toEqual(idsOf(harmless));
});

test('documents the scopes of each operation', async () => {
  const { body: document } = await service.call('GET', '/openapi.json');
  const documented = Object.values(document.paths as Record<string, Record<string, any>>)
    .flatMap((methods) => Object.values(methods))
    .filter((one) => one['x-role'] === 'operator');
  expect(
    documented
      .filter((one) => one['x-scopes'].includes('read'))
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual(idsOf(operator.filter(onlyShows)));
  expect(
    documented.filter((one) => one['x-scopes'].includes('market_messages')).map(({ operationId }) => operationId),
  ).toEqual(MARKET_MESSAGES);
  expect(
    documented
      .filter((one) => !one['x-scopes'].includes('operate'))
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual([...ADMINISTRATORS, ...APPROVALS].toSorted());
  expect(documented.every((one) => one['x-scopes'].includes('all'))).toBe(true);
});

/** Personal values of the accounts and the business of this file. */
const CONTACT_DATA = ['@example.org', '33612345678', '03 89 20 20 20', '33389202020', '1979-02-28', 'Solange Duc'];
/** Data for the path parameters, so that operations have something to return. */
const NAMED: Record<string, string> = { supplier: 'SUPPLIER_FR', external: 'SCOPE-1', revision: '2' };
const SHOW_CONTACT_DATA = ['findAccount', 'findAccountRevision', 'findBusiness'];

async function storePeople(): Promise<void> {
  const payload = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'SCOPE-1' });
  const earlier = { ...payload, customers: [{ ...payload.customers![0]!, email: 'earlier@example.org' }] };
  const staging = '/v1/data-import/account-import-process/create-or-update/';
  await service.call('POST', staging, { token: tokens.supplier, body: earlier });
  await createAccounts(service.database, 'SUPPLIER_FR', [payload]);
  const request = businessRequest({}, 1);
  const details = [{ key: 'contact', value: 'Solange Duc' }];
  const business = { ...request, external_business_identifier: 'SCOPE-1', business: { ...request.business, details } };
  const made = await service.call('POST', '/v1/data-import/business/', { token: tokens.supplier, body: business });
  expect(made.status).toBe(201);
}

/** The text of each read-only operation's response to a key. */
async function shownTo(kind: 'read' | 'operate', query = ''): Promise<[id: string, status: number, text: string][]> {
  const answers: [string, number, string][] = [];
  for (const operation of operator.filter(({ method }) => method === 'GET')) {
    const { operationId, path = {} } = operation.openApi;
    const at = operation.path.replace(/:(\w+)/g, (_all, name: string) =>
      encodeURIComponent(NAMED[name] ?? String(path[name]?.example ?? name)),
    );
    const parameters = operationId === 'search' ? '?q=noemie.zeller.1@example.org' : query;
    const { status, body } = await service.call('GET', `${at}/${parameters}`, { token: tokens[kind] });
    answers.push([operationId, status, JSON.stringify(body)]);
  }
  return answers;
}

const hasContactData = ([, , text]: [string, number, string]) => CONTACT_DATA.some((datum) => text.includes(datum));

test('returns contact data to scope read only on request, which is audited', async () => {
  await storePeople();
  const operate = await shownTo('operate');
  expect(operate.filter(hasContactData).map(([id]) => id)).toEqual(SHOW_CONTACT_DATA);
  const read = await shownTo('read');
  expect(read.filter(hasContactData).map(([id]) => id)).toEqual([]);
  const masked = read.filter(([, , text]) => text.includes('•••'));
  expect(masked.map(([id, status]) => [id, status])).toEqual(SHOW_CONTACT_DATA.map((id) => [id, 200]));
  expect(read.find(([id]) => id === 'search')?.[2]).toContain('SCOPE-1');

  const { rows: before } = await service.database.pool.query(
    `select from audit_entry where action like '%.contact_data_revealed'`,
  );
  expect(before).toEqual([]);
  for (const path of [
    'accounts/SUPPLIER_FR/SCOPE-1/',
    'accounts/SUPPLIER_FR/SCOPE-1/revisions/2/',
    'businesses/SUPPLIER_FR/SCOPE-1/',
  ]) {
    const at = `/v1/operations/${path}`;
    const open = await service.call('GET', `${at}?reveal=true`, { token: tokens.read });
    expect([path, open.body]).toEqual([path, (await service.call('GET', at, { token: tokens.operate })).body]);
    for (const reveal of ['yes', 'true&reveal=true']) {
      expect(await service.call('GET', `${at}?reveal=${reveal}`, { token: tokens.read })).toMatchObject({
        status: 400,
        body: { errors: [{ attr: 'reveal', code: 'invalid' }] },
      });
    }
  }
  const { rows } = await service.database.pool.query(
    `select action, subject, actor_name from audit_entry where action like '%.contact_data_revealed' order by at, id`,
  );
  const account = { action: 'account.contact_data_revealed', subject: 'accounts/SUPPLIER_FR/SCOPE-1' };
  const business = { action: 'business.contact_data_revealed', subject: 'businesses/SUPPLIER_FR/SCOPE-1' };
  expect(rows).toEqual([account, account, business].map((row) => ({ ...row, actor_name: 'Ops / read' })));
});
