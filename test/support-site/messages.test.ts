import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listUnmatchedMessages } from '../../src/switching/market-message.store.ts';
import { startService, type Service } from '../support/harness.ts';
import { countingReads } from '../support/rows-read.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { message, switchTestOf, type SwitchTest } from '../support/switching.ts';
import { until } from '../support/until.ts';

let service: Service;
let site: Site;
let staff: Visitor;
let viewer: Visitor;
let tests: SwitchTest;
beforeAll(async () => {
  // Without an address of the industry switch only messages change the state.
  service = await startService({ worker: true });
  site = await startSite(service);
  tests = await switchTestOf(service);
  staff = await site.signedIn();
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

const listed = (text: string) => [...text.matchAll(/<a href="\/messages\/([^"?]+)"/g)].map(([, id]) => id);
const effectOf = async (id: string) => (await tests.operate('GET', `market-messages/${encodeURIComponent(id)}/`)).body;

async function sent(id: string, external: string, outcome = 'ACCEPTED', more: object = {}): Promise<void> {
  expect(await tests.send(message(external, outcome, { message_id: id, ...more }))).toMatchObject({ status: 200 });
}

test('assigns a message to another account, applies it there, and recognizes it when it is sent again', async () => {
  await tests.create('RIGHT-1', ['31000000000001', '31000000000002']);
  await sent('WRONG/1', 'WRONG-1', 'ACCEPTED', { reason: '<b>old number</b>', occurred_at: '2026-11-20T08:00:00Z' });
  expect(listed((await staff.get('/messages')).text)).toEqual(['WRONG%2F1']);
  const page = await staff.get('/messages/WRONG%2F1');
  expect(page.text).toContain('unknown account');
  expect(page.text).toContain('&lt;b&gt;old number&lt;/b&gt;');
  const order = (external: string, point = ''): [string, string][] => [
    ['import_supplier', 'SUPPLIER_FR'],
    ['external_account_number', external],
    ['supply_point_identifier', point],
    ['reason', 'the old number'],
  ];
  const assign = (fields: [string, string][]) => staff.post('/messages/WRONG%2F1/assign', fields);
  expect((await assign(order('RIGHT-1', '39999999999999'))).text).toContain('supply_point_identifier');
  expect((await assign(order('NOBODY-1'))).status).toBe(404);
  expect(await assign(order('RIGHT-1', '31000000000002'))).toMatchObject({
    status: 303,
    location: '/accounts/SUPPLIER_FR/RIGHT-1',
  });
  const view = await tests.view('RIGHT-1');
  expect(view.switch_history).toMatchObject([
    { from: 'PENDING', to: 'IN_PROGRESS', supply_point_identifier: '31000000000002', by: 'message' },
  ]);
  expect(view.market_messages).toMatchObject([{ effect: 'moved', occurred_at: '2026-11-20T08:00:00.000Z' }]);
  const [copy] = view.market_messages;
  expect(await effectOf('WRONG/1')).toMatchObject({
    external_account_number: 'WRONG-1',
    effect: 'set-aside',
    effect_detail: `Assigned to SUPPLIER_FR/RIGHT-1 as ${copy.message_id}.`,
  });
  // The same message again is not assigned again.
  const again = await tests.send(
    message('WRONG-1', 'ACCEPTED', {
      message_id: 'WRONG/1',
      reason: '<b>old number</b>',
      occurred_at: '2026-11-20T08:00:00Z',
    }),
  );
  expect(again.body.results).toMatchObject([{ status: 'MESSAGE_ALREADY_KNOWN' }]);
  expect((await assign(order('RIGHT-1'))).status).toBe(404);
  const subject = 'account-import-processes/SUPPLIER_FR/RIGHT-1/market-messages';
  expect((await tests.operate('GET', `audit/?subject=${encodeURIComponent(subject)}`)).body).toMatchObject([
    {
      action: 'market_message.assigned',
      actor: { name: 'staff all / Ada' },
      before: { message_id: 'WRONG/1', status: 'PENDING' },
      after: { message_id: copy.message_id, status: 'IN_PROGRESS' },
      reason: 'the old number',
    },
  ]);
  for (const page of ['/audit?account=SUPPLIER_FR/RIGHT-1', '/accounts/SUPPLIER_FR/RIGHT-1/history']) {
    expect((await staff.get(page)).text).toMatch(/Ada<\/strong>\s+assigned [\s\S]*?<q>the old number<\/q>/);
  }
});

test('rejects the assignment of a message that does not match the account, and keeps it pending', async () => {
  await tests.create('UNFIT-1', ['32000000000001']);
  await sent('UNFIT', 'WRONG-2', 'COMPLETED');
  const answer = await tests.operate('POST', 'market-messages/UNFIT/assign/', {
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'UNFIT-1',
    reason: 'try',
  });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'validation_failed',
      errors: [
        { attr: 'external_account_number', detail: expect.stringContaining('COMPLETED does not follow PENDING') },
      ],
    },
  });
  expect(await effectOf('UNFIT')).toMatchObject({ external_account_number: 'WRONG-2', effect: 'unknown-account' });
  expect((await tests.view('UNFIT-1')).market_messages).toEqual([]);
});

test('dismisses one or several messages with a reason, and offers viewers no action', async () => {
  await sent('GONE-1', 'GONE');
  await sent('GONE-2', 'GONE');
  await sent('GONE-3', 'GONE');
  expect((await viewer.get('/messages/GONE-1')).text).not.toContain('<form class="narrow"');
  expect((await viewer.get('/messages')).text).not.toContain('Dismiss');
  const list = '/messages?import_supplier=SUPPLIER_FR&external_account_number=GONE';
  await staff.get(list);
  expect((await staff.post('/messages/GONE-1/dismiss', [])).status).toBe(400);
  expect(await staff.post('/messages/GONE-1/dismiss', [['reason', 'sent twice']])).toMatchObject({ status: 303 });
  expect((await staff.get('/messages/GONE-1')).text).toContain('sent twice');
  expect((await staff.post('/messages/GONE-1/dismiss', [['reason', 'x']])).status).toBe(404);
  const marked: [string, string][] = ['GONE-1', 'GONE-2', 'GONE-3'].map((id) => ['id', id]);
  const back: [string, string] = ['back', list];
  expect(await staff.post('/messages/dismiss', [...marked, back, ['reason', 'all wrong']])).toMatchObject({
    status: 303,
    location: list,
  });
  const after = await staff.get(list);
  expect(after.text).toContain('2 dismissed, 1 already applied or deleted.');
  expect(listed(after.text)).toEqual([]);
  expect((await staff.post('/messages/dismiss', [['back', 'https://elsewhere.example/']])).location).toBe('/messages');
});

test('filters and pages the list by key, and rejects an unknown cursor or kind', async () => {
  await tests.create('POINT-1', ['33000000000001']);
  await sent('POINT', 'POINT-1', 'ACCEPTED', { supply_point_identifier: '33999999999999' });
  await until(async () => (await effectOf('POINT')).effect === 'unknown-point');
  expect(listed((await staff.get('/messages?kind=unknown-point')).text)).toEqual(['POINT']);
  const many = Array.from({ length: 55 }, (_, index) => message('MANY', 'ACCEPTED', { message_id: `MANY-${index}` }));
  expect(await tests.send(...many)).toMatchObject({ status: 200 });
  const first = await staff.get('/messages?import_supplier=SUPPLIER_FR&external_account_number=MANY');
  const next = /class="button quiet" href="([^"]+)"/.exec(first.text)![1]!.replaceAll('&amp;', '&');
  const second = await staff.get(next);
  const all = [...listed(first.text), ...listed(second.text)];
  expect([listed(first.text).length, all.length, new Set(all).size]).toEqual([50, 55, 55]);
  expect((await staff.get('/messages?cursor=nowhere')).status).toBe(400);
  expect((await staff.get('/messages?kind=nothing')).status).toBe(400);
  expect(listed((await staff.get('/messages?external_account_number=MANY')).text)).toHaveLength(50);
  expect((await staff.get('/messages?import_supplier=%00')).text).toContain('There are no unmatched messages.');
  expect((await staff.get('/messages/a%00b')).status).toBe(404);
});

test('reads only the shown messages, whatever the number of pending ones', async () => {
  await service.database.pool.query(
    `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, effect)
     select 'ROW-' || g, 'message', case g % 2 when 0 then 'SUPPLIER_FR' else 'OTHER' end, 'ROW', 'ACCEPTED', now(), 'unknown-account' from generate_series(1, 20000) g`,
  );
  await service.database.pool.query('analyze market_message');
  const { database, read } = countingReads(service, 'select market_message');
  for (const wanted of [
    {},
    { kind: 'fits-nothing' },
    { importSupplier: 'SUPPLIER_FR', kind: 'unknown-point' },
    { importSupplier: 'OTHER' },
  ] as const) {
    await listUnmatchedMessages(database, wanted, 51);
    await listUnmatchedMessages(database, wanted, 51, 'ROW-10000');
  }
  expect(read.filter(([, rows]) => rows > 200)).toEqual([]);
  expect(read).toHaveLength(8);
});
