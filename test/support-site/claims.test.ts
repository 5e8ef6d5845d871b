import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { switchTestOf, type SwitchTest } from '../support/switching.ts';
import { until } from '../support/until.ts';

const POINT = '99110000000901';

let service: Service;
let site: Site;
let visitor: Visitor;
let tests: SwitchTest;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  visitor = await site.signedIn();
  tests = await switchTestOf(service);
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

const CAUSE = '/stuck?cause=supply_point_on_another_account';
const path = (external: string) => `/stuck/claims/SUPPLIER_FR/${external}`;
const listed = async (external: string) => {
  await until(async () => (await visitor.get(CAUSE)).text.includes(`href="${path(external)}"`));
};

test('compares both accounts of a claim and requests the switch for a reason', async () => {
  await tests.create('CLAIM-1', [POINT]);
  await tests.create('CLAIM-2', [POINT]);
  await listed('CLAIM-2');
  const list = (await visitor.get(CAUSE)).text;
  expect(list).toContain('/bulk-actions/new?action=decide');
  expect(list.slice(list.indexOf('<main'), list.indexOf('</main>'))).not.toContain('type="checkbox" name="id"');

  for (const account of ['CLAIM-1', 'CLAIM-2']) {
    const { text } = await visitor.get(`/accounts/SUPPLIER_FR/${account}`);
    expect(text).toContain(`href="${path('CLAIM-2')}">Compare and decide`);
  }
  expect((await visitor.get(path('CLAIM-1'))).text).toContain(`href="${path('CLAIM-2')}"`);
  const { text } = await visitor.get(path('CLAIM-2'));
  expect(text).toContain('/accounts/SUPPLIER_FR/CLAIM-1');
  expect(text).toContain('/accounts/SUPPLIER_FR/CLAIM-2');
  expect(text.split(POINT).length).toBeGreaterThan(2);
  expect(text).toContain('Customers');

  const form: [string, string][] = [
    ['decision', 'GO_ON'],
    ['supply_point_identifier', POINT],
  ];
  expect((await visitor.post(path('CLAIM-2'), form)).status).toBe(400);
  const done = await visitor.post(path('CLAIM-2'), [...form, ['reason', 'moved out']]);
  expect(done).toMatchObject({ status: 303, location: CAUSE });
  expect((await visitor.get(path('CLAIM-2'))).text).toContain('No supply point of this account needs a decision.');
  const { rows } = await service.database.pool.query(
    `select reason, after from audit_entry where action = 'supply_point_claim.decided'`,
  );
  expect(rows).toEqual([{ reason: 'moved out', after: { held: [], decision: 'GO_ON' } }]);
  expect((await visitor.post(path('CLAIM-2'), [...form, ['reason', 'again']])).status).toBe(404);
});

test('leaves all held points of an account to the other accounts together', async () => {
  const points = ['99110000000902', '99110000000903'];
  await tests.create('CLAIM-3', [points[0]!]);
  await tests.create('CLAIM-4', [points[1]!]);
  await tests.create('CLAIM-5', points);
  const page = await visitor.get(path('CLAIM-5'));
  expect(page.text).toContain('Decide on all 2 supply points together');
  const form: [string, string][] = [
    ['decision', 'LEAVE'],
    ['reason', 'imported twice'],
  ];
  expect(await visitor.post(path('CLAIM-5'), form)).toMatchObject({ status: 303, location: CAUSE });
  expect(await tests.status('CLAIM-5')).toBe('REJECTED');
});

test('shows viewers a claim without the decision, and does not report a retry of it as done', async () => {
  await tests.create('CLAIM-6', ['99110000000904']);
  const number = await tests.create('CLAIM-7', ['99110000000904']);
  const viewer = await site.signedIn('read');
  const { text } = await viewer.get(path('CLAIM-7'));
  expect(text).toContain('/accounts/SUPPLIER_FR/CLAIM-6');
  expect(text).not.toContain('name="decision"');
  expect((await viewer.post(path('CLAIM-7'), [['decision', 'LEAVE']])).status).toBe(403);
  const id = Buffer.from(`supply-point-claim/${number}`).toString('base64url');
  await visitor.get('/stuck');
  expect((await visitor.post('/stuck/retry', [['id', id]])).status).toBe(303);
  expect((await visitor.get('/stuck')).text).toContain('flash-problem');
  expect((await visitor.get('/stuck/claims/SUPPLIER_FR/NOBODY')).status).toBe(404);
});
