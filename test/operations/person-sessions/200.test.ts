import { afterAll, expect, test } from '@jest/globals';
import { beginPersonSession, findPersonSession } from '../../../src/access/index.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const call = (method: string, path = '', body?: unknown) =>
  service.call(method, `/v1/operations/person-sessions/${path}`, { token: service.operatorToken, body });

const begin = (name: string) =>
  beginPersonSession(
    service.database,
    { subject: `https://login.example#${name}`, name, role: 'viewer' },
    { by: 'openid-connect', network: '192.0.2.7' },
  );
const isOpen = async (secret: string) => (await findPersonSession(service.database, secret, false)) !== undefined;

test('lists current sessions without their secrets; ends one, and all of a person', async () => {
  const [ada, one, two] = [await begin('Ada'), await begin('Bob'), await begin('Bob')];
  const idle = await begin('Idle');
  await service.database.pool.query(
    `update person_session set last_seen_at = now() - interval '31 minutes' where name = 'Idle'`,
  );
  const { status, body } = await call('GET');
  expect(status).toBe(200);
  expect(body).toMatchObject([
    { name: 'Ada', role: 'viewer', signed_in_by: 'openid-connect', network: '192.0.2.7' },
    { name: 'Bob', subject: 'https://login.example#Bob' },
    { name: 'Bob' },
  ]);
  for (const secret of [ada, one, two, idle]) expect(JSON.stringify(body)).not.toContain(secret);

  expect(await call('DELETE', `${body[0].id}/`)).toMatchObject({ status: 200, body: { ended: 1 } });
  expect([await isOpen(ada), await isOpen(one), await isOpen(two)]).toEqual([false, true, true]);
  expect((await call('DELETE', `${body[0].id}/`)).status).toBe(404);
  expect((await call('DELETE', 'none/')).status).toBe(404);

  const everyone = { subject: body[1].subject, reason: 'left the team' };
  expect(await call('POST', 'end/', everyone)).toMatchObject({ status: 200, body: { ended: 2 } });
  expect([await isOpen(one), await isOpen(two)]).toEqual([false, false]);
  expect((await call('POST', 'end/', everyone)).status).toBe(404);
  expect((await call('POST', 'end/', { subject: '', why: 'x' })).body.errors).toMatchObject([
    { code: 'blank', attr: 'subject' },
    { code: 'invalid', attr: 'why' },
  ]);
  const audit = await service.call('GET', '/v1/operations/audit/?action=person.sessions_ended', {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([
    { subject: 'people', after: { name: 'Bob', sessions: 2 }, reason: 'left the team' },
    { subject: 'people', after: { name: 'Ada', sessions: 1 } },
  ]);
});
