import { hash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());
const made = await service.call('POST', '/v1/operations/api-keys/', {
  token: service.operatorToken,
  body: { organisation: 'Acme', name: 'importer', role: 'operator' },
});
const secret: string = made.body.api_key;
const keyId: string = made.body.id;

const FIELDS = '{ token refreshToken refreshExpiresIn payload }';
const send = (query: string, variables?: object) => service.call('POST', '/graphql/', { body: { query, variables } });
const obtain = (input: object) =>
  send(`mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) ${FIELDS} }`, { input });
type Answer = { body: { errors?: { extensions: { errorCode: string } }[] } };
const codeOf = (answer: Answer) => answer.body.errors?.[0]?.extensions.errorCode;

test.each(['APIKey', 'organizationSecretKey'])(
  'issues a token of an hour and a refresh token of twelve for a key as %s',
  async (member) => {
    const before = Math.floor(Date.now() / 1_000);
    const answer = await obtain({ [member]: secret });
    expect(answer.status).toBe(200);
    const { token, refreshToken, refreshExpiresIn, payload } = answer.body.data.obtainToken;
    expect(answer.body.errors).toBeUndefined();
    expect(token).toMatch(/^gwa_/);
    expect(refreshToken).toMatch(/^gwr_/);
    expect(Math.abs(refreshExpiresIn - before - 43_200)).toBeLessThan(5);
    expect(payload).toMatchObject({
      sub: keyId,
      iss: 'gangway',
      gty: 'API-KEY',
      organisation: 'Acme',
      role: 'operator',
    });
    expect(payload.exp - payload.iat).toBe(3_600);
    expect((await service.call('GET', '/v1/operations/import-suppliers/', { token })).status).toBe(200);
  },
);

test('stores only hashes of tokens', async () => {
  const { token, refreshToken } = (await obtain({ APIKey: secret })).body.data.obtainToken;
  const { rows } = await service.database.pool.query(
    'select kind, row_to_json(t)::text as text from access_token t where sha256 in ($1, $2) order by kind',
    [hash('sha256', token, 'buffer'), hash('sha256', refreshToken, 'buffer')],
  );
  expect(rows.map(({ kind }: { kind: string }) => kind)).toEqual(['access', 'refresh']);
  for (const { text } of rows) expect(text).not.toMatch(/gw[ar]_/);
});

test.each([
  ['the root field ObtainToken', `mutation { ObtainToken(input: {APIKey: "KEY"}) ${FIELDS} }`, 'ObtainToken'],
  [
    'an operation named ObtainToken',
    `mutation ObtainToken { obtainToken(input: {APIKey: "KEY"}) ${FIELDS} }`,
    'obtainToken',
  ],
])('accepts %s', async (_what, query, field) => {
  const answer = await send(query.replace('KEY', secret));
  expect(answer.body.data[field].token).toMatch(/^gwa_/);
});

test('accepts the path without a slash', async () => {
  const answer = await service.call('POST', '/graphql', { body: { query: '{ service }' } });
  expect(answer).toMatchObject({ status: 200, body: { data: { service: 'gangway' } } });
});

test('accepts a refresh token once, and issues the next one', async () => {
  const first = (await obtain({ APIKey: secret })).body.data.obtainToken;
  const second = (await obtain({ refreshToken: first.refreshToken })).body.data.obtainToken;
  expect(second.payload.gty).toBe('REFRESH-TOKEN');
  expect(second.refreshToken).not.toBe(first.refreshToken);
  expect((await service.call('GET', '/v1/operations/import-suppliers/', { token: second.token })).status).toBe(200);
  expect((await obtain({ refreshToken: second.refreshToken })).body.errors).toBeUndefined();
});

test('lets one of four concurrent uses of a refresh token succeed, and ends the session', async () => {
  const { refreshToken } = (await obtain({ APIKey: secret })).body.data.obtainToken;
  // The row is locked until the first waits for it and the others behind that one, so that they really overlap.
  const holder = await service.database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from access_token where sha256 = $1 for update', [
      hash('sha256', refreshToken, 'buffer'),
    ]);
    const uses = Array.from({ length: 4 }, () => obtain({ refreshToken }));
    let waiting = 0;
    while (waiting < 4) {
      await holder.query('select pg_stat_clear_snapshot()');
      const { rows } = await holder.query(
        "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      waiting = rows[0].waiting;
    }
    await holder.query('commit');
    const answers = await Promise.all(uses);
    const [won, ...more] = answers.filter((answer: Answer) => codeOf(answer) === undefined);
    expect(more).toEqual([]);
    const { rows } = await service.database.pool.query(
      'select count(*)::int as count from access_token where revoked_at is null and sha256 in ($1, $2)',
      [
        hash('sha256', won!.body.data.obtainToken.token, 'buffer'),
        hash('sha256', won!.body.data.obtainToken.refreshToken, 'buffer'),
      ],
    );
    expect(rows[0].count).toBe(0);
  } finally {
    holder.release();
  }
});

test('reports an expired refresh token', async () => {
  const { refreshToken } = (await obtain({ APIKey: secret })).body.data.obtainToken;
  await service.database.pool.query(
    "update access_token set expires_at = now() - interval '1 second' where sha256 = $1",
    [hash('sha256', refreshToken, 'buffer')],
  );
  expect(codeOf(await obtain({ refreshToken }))).toBe('KT-CT-1134');
});

test.each<[string, object, string]>([
  ['nothing', {}, 'KT-CT-1138'],
  ['two credentials', { APIKey: 'a', refreshToken: 'b' }, 'KT-CT-1138'],
  ['a malformed key', { APIKey: 'wrong' }, 'KT-CT-1139'],
  ['a key that was never issued', { APIKey: `gwk_${'A'.repeat(43)}` }, 'KT-CT-1139'],
  ['a refresh token that was never issued', { refreshToken: `gwr_${'A'.repeat(43)}` }, 'KT-CT-1135'],
])('answers %s with 200 and an error', async (_what, input, code) => {
  const answer = await obtain(input);
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual({ obtainToken: null });
  expect(answer.body.errors).toEqual([
    expect.objectContaining({
      message: expect.any(String),
      extensions: { errorType: 'VALIDATION', errorCode: code, errorDescription: expect.any(String) },
    }),
  ]);
});

test('counts one request as one attempt, whatever aliases it uses', async () => {
  const answer = await send(
    `mutation { a: obtainToken(input: {APIKey: "${secret}"}) { token } b: obtainToken(input: {APIKey: "${secret}"}) { token } }`,
  );
  expect(answer.body.data.a.token).toMatch(/^gwa_/);
  expect(answer.body.data.b).toBeNull();
  expect(codeOf(answer)).toBe('GW-0001');
});

test.each<[string, string]>([
  ['reads the schema', '{ __schema { types { name } } }'],
  ['reads unknown fields', '{ accounts { number } }'],
  ['is not GraphQL', 'select 1'],
  ['is too deep', `${'{ service '.repeat(30)}${'}'.repeat(30)}`],
  ['is too long', `{ ${'service '.repeat(2_000)} }`],
])('rejects a query that %s', async (_what, query) => {
  const answer = await send(query);
  expect(answer.status).toBe(200);
  expect(answer.body.data).toBeUndefined();
  expect(codeOf(answer)).toBe('GW-0002');
});
