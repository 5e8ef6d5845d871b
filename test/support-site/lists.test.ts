import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessRequest } from '../support/business-payload.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

// What all lists have: order, page size, columns of choice, pages and files.

let service: Service;
let site: Site;
let staff: Visitor;
beforeAll(async () => {
  service = await startService();
  site = await startSite(service);
  staff = await site.signedIn('operate');
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const post = async (path: string, body: unknown) =>
    expect((await service.call('POST', `/v1/data-import/${path}`, { token, body })).status).toBe(201);
  for (let index = 0; index < 30; index += 1) {
    const number = `L-${String(index).padStart(2, '0')}`;
    const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: number }, index);
    await post('account-import-process/create-or-update/', account);
  }
  for (const sequence of [1, 2, 3]) {
    await post('business', { ...businessRequest({}, sequence), external_business_identifier: `B-${sequence}` });
  }
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

const numbersIn = (text: string) => [...text.matchAll(/<code>(L-\d\d)<\/code>/g)].map(([, number]) => number);
const saveView = (visitor: Visitor, list: string, size: string, columns: string[], all: string) =>
  visitor.post('/list-view', [
    ['list', list],
    ['all', all],
    ['back', `/${list}?status=STAGED`],
    ['size', size],
    ...columns.map((name): [string, string] => ['column', name]),
  ]);

test('sorts by a click on a head, keeps the filters, and marks the order', async () => {
  const { text } = await staff.get('/accounts?status=STAGED');
  expect(text).toContain('<th scope="col" aria-sort="ascending">External account number</th>');
  const newest = '/accounts?status=STAGED&sort=-staged_at';
  expect(text).toContain(`<a href="${newest.replaceAll('&', '&amp;')}">Staged</a>`);
  expect(text).not.toMatch(/<a href="[^"]*">Status<\/a>/);
  expect(numbersIn(text)[0]).toBe('L-00');
  const sorted = await staff.get(newest);
  expect(numbersIn(sorted.text)[0]).toBe('L-29');
  expect(sorted.text).toContain('aria-sort="descending"');
  // The form that filters keeps the order.
  expect(sorted.text).toContain('<input type="hidden" name="sort" value="-staged_at">');
});

test('keeps columns and rows per page for a person, and never hides the first column', async () => {
  const all = 'external_account_number service_account_number status switch_status refusal_codes staged_at created_at';
  const visitor = await site.signedIn('read');
  await visitor.get('/accounts');
  const saved = await saveView(visitor, 'accounts', '25', ['external_account_number', 'status'], all);
  expect(saved).toMatchObject({ status: 303, location: '/accounts?status=STAGED' });
  expect(saved.headers.get('set-cookie')).toMatch(
    /^view-accounts=25\.[\w.]+; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
  );
  const first = await visitor.get('/accounts?status=STAGED&sort=-staged_at');
  expect(numbersIn(first.text)).toHaveLength(25);
  expect([...first.text.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, title]) => title)).toEqual([
    'Import supplier',
    'External account number',
    'Status',
  ]);
  const next = /href="([^"]*cursor=[^"]*)"/.exec(first.text)![1]!.replaceAll('&amp;', '&');
  expect(next).toContain('status=STAGED&sort=-staged_at');
  const second = await visitor.get(next);
  expect([...numbersIn(first.text), ...numbersIn(second.text)]).toHaveLength(30);
  expect(second.text).toContain('First page');
  expect(numbersIn((await staff.get('/accounts')).text)).toHaveLength(30);
  // Unknown sizes and names are not stored, and other sites are not redirected to.
  expect((await saveView(visitor, 'accounts', '7', [], 'status; Path=/x')).status).toBe(400);
  const elsewhere = await visitor.post('/list-view', [
    ['list', 'accounts'],
    ['back', 'https://elsewhere.example/'],
  ]);
  expect(elsewhere.location).toBe('/');
});

test('exports a list with its filters in its order, with all columns, and audits it', async () => {
  const file = await staff.get('/businesses.csv?import_supplier=SUPPLIER_FR');
  const [head, ...lines] = file.text.trimEnd().split('\r\n');
  expect(head).toContain('"external_business_identifier";"company_name";"import_supplier"');
  expect(lines.map((line) => line.split(';')[0])).toEqual(['"B-1"', '"B-2"', '"B-3"']);
  expect((await staff.get('/businesses.csv?import_supplier=OTHER')).text.trimEnd().split('\r\n')).toHaveLength(1);
  const { rows } = await service.database.pool.query(
    `select actor_name, after from audit_entry where action = 'list.exported' order by at`,
  );
  expect(rows[0]).toEqual({ actor_name: 'staff operate / Ada', after: { import_supplier: 'SUPPLIER_FR' } });
  expect((await staff.get('/accounts.csv?status=NONE')).status).toBe(400);
});

test('lists businesses, newest first on demand, with names masked for viewers, also in the file', async () => {
  const numbers = (text: string) => [...text.matchAll(/<code>(B-\d)<\/code>/g)].map(([, number]) => number);
  const { text } = await staff.get('/businesses');
  expect(numbers(text)).toEqual(['B-1', 'B-2', 'B-3']);
  expect(numbers((await staff.get('/businesses?sort=-service_business_id')).text)).toEqual(['B-3', 'B-2', 'B-1']);
  const name = businessRequest().business.company_name;
  expect(text).toContain(name);
  const viewer = await site.signedIn('read');
  for (const path of ['/businesses', '/businesses.csv']) {
    const shown = (await viewer.get(path)).text;
    expect(shown).not.toContain(name);
    expect(shown).toContain('•••');
  }
  expect((await staff.get('/businesses?cursor=x')).status).toBe(400);
  const read = await service.database.pool.query(
    `select distinct actor_name from audit_entry where action = 'business.read' and subject = 'businesses'`,
  );
  expect(read.rows).toEqual([{ actor_name: 'staff operate / Ada' }]);
});

test.each([
  ['/supply-points', 'status', 'batch_id'],
  ['/events', 'import_supplier', 'url'],
  ['/events/feed', 'external_account_number', 'time'],
  ['/certificates', 'import_supplier', 'reconciliation_id'],
  ['/waves', 'import_supplier', 'name'],
  ['/jobs', 'status', 'job_id'],
  ['/settings', undefined, 'code'],
  ['/settings/keys', 'state', 'name'],
  ['/audit', 'action', 'at'],
  ['/bulk-actions', undefined, 'action'],
])('%s has filters, columns, page sizes, cursors and a file', async (path, filter, first) => {
  const { text } = await staff.get(path);
  expect(text).toContain('<div class="list">');
  if (filter !== undefined) expect(text).toMatch(new RegExp(`id="filter-${filter}"`));
  expect(text).toMatch(/<select id="view-[a-z-]+-size" name="size">/);
  expect(text).toContain(`<a download href="${path}.csv">Download as CSV</a>`);
  const file = await staff.get(`${path}.csv`);
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z-]+\.csv"$/);
  expect(file.text.split(/[;\r]/)[0]).toBe(`"${first}"`);
  if (path !== '/events/feed') expect((await staff.get(`${path}?cursor=x`)).status).toBe(400);
});

test('reads pages of keys, and their file, in one order', async () => {
  await service.database.pool.query(
    `insert into api_key (id, organisation_id, name, role, secret_sha256, secret_start)
     select gen_random_uuid(), (select id from organisation limit 1), 'key ' || n, 'supplier', sha256(n::text::bytea), 'gwk_' || n from generate_series(1, 60) n`,
  );
  const namesIn = (text: string) => [...text.matchAll(/>(key \d+)<\/th>/g)].map(([, name]) => name);
  const first = (await staff.get('/settings/keys')).text;
  expect(namesIn(first).length).toBeLessThanOrEqual(50);
  const next = /href="(\/settings\/keys\?cursor=\d+)"/.exec(first)![1]!;
  const names = [...namesIn(first), ...namesIn((await staff.get(next)).text)];
  expect(new Set(names).size).toBe(60);
  const file = (await staff.get('/settings/keys.csv')).text;
  expect([...file.matchAll(/"(key \d+)"/g)].map(([, name]) => name)).toEqual(names);
  expect(namesIn((await staff.get('/settings/keys?state=ended')).text)).toEqual([]);
});
