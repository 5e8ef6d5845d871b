import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { startService, type Answer, type Service } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

let service: Service | undefined;
beforeEach(async () => {
  await service?.stop();
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service?.stop();
});

const OBTAIN = 'mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token } }';
const call = (method: string, path: string, token: string, body?: object) =>
  service!.call(method, `/v1/operations/${path}`, { token, ...(body === undefined ? {} : { body }) });

async function makeKey(more: object = {}): Promise<{ id: string; token: string }> {
  const { id, api_key: key } = (
    await call('POST', 'api-keys/', service!.operatorToken, {
      organisation: 'Ops',
      name: 'console',
      role: 'operator',
      ...more,
    })
  ).body;
  return {
    id,
    token: (await service!.call('POST', '/graphql/', { body: { query: OBTAIN, variables: { key } } })).body.data
      .obtainToken.token,
  };
}

/** The key of the harness's token. */
const firstKey = async (): Promise<string> =>
  (await call('GET', 'api-keys/', service!.operatorToken)).body.find(
    ({ name }: { name: string }) => name === 'key of a test',
  ).id;

test('does not revoke the last operator key that can issue others, ignoring restricted, expired and revoked ones', async () => {
  const id = await firstKey();
  await makeKey({ scope: 'read' });
  const soon = await makeKey({ expires_at: '2099-01-01T00:00:00Z' });
  const revoked = await makeKey();
  expect((await call('DELETE', `api-keys/${revoked.id}/`, service!.operatorToken)).status).toBe(200);
  await service!.database.pool.query("update api_key set expires_at = now() - interval '1 second' where id = $1", [
    soon.id,
  ]);

  const refused = await call('DELETE', `api-keys/${id}/`, service!.operatorToken);
  expect(refused).toMatchObject({ status: 400, body: { code: 'last_operator_key', errors: [] } });
  expect(
    (await call('GET', 'api-keys/', service!.operatorToken)).body.find((key: { id: string }) => key.id === id)
      .revoked_at,
  ).toBeNull();
  expect((await call('GET', 'audit/?action=api_key.revoked', service!.operatorToken)).body).toHaveLength(1);

  const other = await makeKey();
  expect((await call('DELETE', `api-keys/${id}/`, other.token)).status).toBe(200);
});

const WAITING =
  "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

test('rejects one of two operators who revoke each other concurrently', async () => {
  let answers: Promise<Answer[]>;
  const [one, other] = [{ id: await firstKey(), token: service!.operatorToken }, await makeKey()];
  const { pool } = service!.database;
  const holder = await pool.connect();
  try {
    // The keys are locked until both requests wait, so that they really overlap: each token is valid before either is
    // revoked.
    await holder.query('begin');
    await holder.query('select 1 from api_key for update');
    answers = Promise.all([
      call('DELETE', `api-keys/${other.id}/`, one.token),
      call('DELETE', `api-keys/${one.id}/`, other.token),
    ]);
    await until(async () => (await pool.query(WAITING)).rows[0].waiting === 2);
    await holder.query('commit');
  } finally {
    holder.release();
  }
  expect((await answers).map(({ status }) => status).sort()).toEqual([200, 400]);
  const { rows } = await service!.database.pool.query(
    "select count(*)::int as count from api_key where role = 'operator' and revoked_at is null",
  );
  expect(rows[0].count).toBe(1);
});
