import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';

// Messages by Accept-Language. What is translated is in test/rules/french.test.ts.

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const FRENCH = { 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.8' };
const V1 = '/v1/data-import/account-import-process';

const faulty = () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'FR-1' }, 1);
  Object.assign(account.customers![0]!, { given_name: 5, landline: '123', date_of_birth: '45292' });
  account.supply_addresses![0]!.supply_points[0]!.identifier = '2.5E+13';
  return { ...account, billing_postcode: '' };
};
const validate = (headers: Record<string, string>, body: unknown = faulty()) =>
  service.call('POST', `/v1/data-import/validate-account/?warnings=true`, { token, body, headers });

test('answers a faulty account in French, with the codes and places of the English response', async () => {
  const [english, french] = [await validate({}), await validate(FRENCH)];
  expect([english.status, french.status]).toEqual([400, 400]);
  expect([english.headers['content-language'], french.headers['content-language']]).toEqual(['en', 'fr']);
  expect([english.headers['vary'], french.headers['vary']]).toEqual(['accept-language', 'accept-language']);
  const without = ({ body }: typeof english) => ({
    ...body,
    detail: '',
    errors: body.errors.map((one: object) => ({ ...one, detail: '' })),
  });
  expect(without(french)).toEqual(without(english));
  expect(french.body.detail).toBe(
    'Les données du compte ne sont pas valides. Corrigez les champs indiqués dans errors.',
  );
  const details = Object.fromEntries(
    french.body.errors.map((one: { attr: string; detail: string }) => [one.attr, one.detail]),
  );
  expect(details).toMatchObject({
    'customers.0.given_name': 'Un texte est attendu, et non un nombre.',
    'customers.0.date_of_birth': expect.stringMatching(/^Un jour existant .* Cela ressemble au nombre qu’un tableur/),
  });
  const kept = english.body.errors.filter((one: { detail: string }) => Object.values(details).includes(one.detail));
  expect(kept).toEqual([]);
});

test('chooses the language by weight, and English without a preference', async () => {
  for (const [header, language] of [
    ['en;q=0.4, fr;q=0.5', 'fr'],
    ['fr;q=0.4, en;q=0.5', 'en'],
    ['de', 'en'],
    ['*', 'en'],
  ] as const) {
    const { headers } = await validate({ 'accept-language': header });
    expect({ header, language: headers['content-language'] }).toEqual({ header, language });
  }
});

test('translates warnings of a successful response, also when an Idempotency-Key repeats it', async () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'FR-2' }, 2);
  const body = { ...account, favourite_colour: 'blue' };
  const stage = (headers: Record<string, string>) =>
    service.call('POST', `${V1}/create-or-update/`, {
      token,
      body,
      headers: { 'idempotency-key': 'fr-2', ...headers },
    });
  const english = await stage({});
  expect(english).toMatchObject({
    status: 201,
    body: { warnings: [{ detail: 'The member is unknown and was dropped.' }] },
  });
  const french = await stage(FRENCH);
  expect(french.headers).toMatchObject({ 'idempotent-replayed': 'true', 'content-language': 'fr' });
  expect(french.body).toEqual({
    ...english.body,
    warnings: [{ ...english.body.warnings[0], detail: 'Le membre est inconnu et n’a pas été retenu.' }],
  });
  expect((await stage({})).body).toEqual(english.body);
});

test('translates problems, and refusals without a route', async () => {
  const problem = await validate({ ...FRENCH, accept: 'application/problem+json, application/json' });
  expect(problem.body).toMatchObject({
    type: '/docs/codes/account_failed_validation/',
    title: 'Les données du compte ne sont pas valides. Corrigez les champs indiqués dans errors.',
    status: 400,
  });
  const refused = [
    await service.call('GET', '/v1/data-import/nothing/', { headers: FRENCH }),
    await service.call('POST', `/v1/data-import/validate-account/`, { body: {}, headers: FRENCH }),
    await service.call('POST', `/v1/data-import/validate-account/`, { token, body: '{"a": 1,}', headers: FRENCH }),
    await service.call('POST', `/v1/data-import/validate-account/?wornings=true`, { token, body: {}, headers: FRENCH }),
  ];
  expect(refused.map(({ body }) => body.detail)).toEqual([
    'La ressource n’existe pas, ou votre clé n’y a pas accès.',
    'Envoyez l’en-tête Authorization: Token <ACCESS_TOKEN>.',
    'Le corps n’est pas un JSON valide\u00a0: ligne 1, colonne 9\u00a0: une virgule précède }\u00a0; supprimez-la.',
    'Le paramètre de requête "wornings" n’existe pas. Vouliez-vous dire warnings\u00a0? Cette opération accepte warnings.',
  ]);
});

test('translates errors of the token endpoint, and not those of GraphQL itself', async () => {
  const obtain = (query: string) => service.call('POST', '/graphql/', { body: { query }, headers: FRENCH });
  const mutation = (input: string) => `mutation { obtainToken(input: {${input}}) { token } }`;
  const unknown = await obtain(mutation(`APIKey: "gwk_${'A'.repeat(43)}"`));
  const sentence =
    'La clé d’API n’est pas valide, a expiré ou a été révoquée. Demandez-en une nouvelle à l’équipe d’exploitation.';
  expect(unknown).toMatchObject({
    status: 200,
    headers: { 'content-language': 'fr' },
    body: {
      data: { obtainToken: null },
      errors: [
        {
          message: sentence,
          path: ['obtainToken'],
          extensions: { errorType: 'VALIDATION', errorCode: 'KT-CT-1139', errorDescription: sentence },
        },
      ],
    },
  });
  const [error] = (await obtain('mutation {')).body.errors;
  expect(error).toMatchObject({
    message: expect.stringContaining('Syntax Error'),
    extensions: { errorDescription: 'La requête GraphQL ne correspond pas au schéma ou est trop grande.' },
  });
  expect(await obtain(mutation('')).then(({ body }) => body.errors[0].message)).toBe(
    'Envoyez un seul des membres APIKey, organizationSecretKey et refreshToken.',
  );
});

test('answers operators in English', async () => {
  const answer = await service.call('GET', '/v1/operations/audit/?limit=x', {
    token: service.operatorToken,
    headers: FRENCH,
  });
  expect(answer.headers['content-language']).toBe('en');
  expect(answer.body.code).toBe('validation_failed');
  expect(answer.body.detail).toMatch(/^The request is not valid/);
});
