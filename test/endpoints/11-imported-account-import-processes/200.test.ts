import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { byCodePoint, followPages, insertProcesses, type ListItem } from '../../support/import-process-lists.ts';

const LIST = '/v1/data-import/imported-account-import-processes';
const AWKWARD = [
  'a',
  'A',
  'B',
  'a"b',
  'back\\slash',
  'é',
  'e\u0301',
  'line\u2028',
  '口座',
  '\ufffd',
  '😀',
  '10',
  '9',
  'a/b',
  'a b',
  '</script>',
  "'",
];

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  await service.database.pool.query(
    `insert into import_supplier (code, name, status) values ('EMPTY', 'E', 'Complete'), ('LONG', 'L', 'Ongoing'), ('ROUND', 'R', 'Ongoing'), ('FOREIGN', 'F', 'Ongoing')`,
  );
  token = await service.supplierToken(['SUPPLIER_FR', 'EMPTY', 'LONG', 'ROUND']);
  for (const state of ['staged', 'imported', 'skipped'] as const) {
    await insertProcesses(
      service.database,
      'SUPPLIER_FR',
      AWKWARD.map((number) => `${state} ${number}`),
      state,
    );
  }
  await insertProcesses(service.database, 'FOREIGN', ['foreign'], 'imported');
});
afterAll(async () => {
  await service.stop();
});

const list = (supplier: string, query = '') => service.call('GET', `${LIST}/${supplier}/${query}`, { token });
const numbers = (...states: string[]) =>
  states.flatMap((state) => AWKWARD.map((number) => `${state} ${number}`)).sort(byCodePoint);

test('created accounts only, ordered by external number, with their number and time', async () => {
  const { status, body } = await list('SUPPLIER_FR');
  expect(status).toBe(200);
  expect(body).toEqual(
    numbers('imported').map((number) => ({
      external_account_number: number,
      service_account_number: expect.stringMatching(/^A-[2-9A-HJ-NP-Z]{9}$/),
      account_created_at: '2026-03-28T23:30:15Z',
    })),
  );
});

test('the text is compact JSON, as JSON.stringify writes it, whatever the numbers hold', async () => {
  const response = await fetch(`${service.url}${LIST}/SUPPLIER_FR/`, { headers: { authorization: `Token ${token}` } });
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const text = await response.text();
  expect(text).toBe(JSON.stringify(JSON.parse(text)));
});

test('a supplier without accounts has an empty list, also with a limit', async () => {
  expect((await list('EMPTY')).body).toEqual([]);
  const page = await list('EMPTY', '?limit=5');
  expect(page.body).toEqual([]);
  expect(page.headers).not.toHaveProperty('link');
});

test.each([1, 7, 17, 1_000])('pages of %d, followed by Link to the end, are the whole list', async (limit) => {
  const whole = (await list('SUPPLIER_FR')).body as ListItem[];
  const pages = await followPages(service, token, `${LIST}/SUPPLIER_FR/?limit=${limit}`);
  expect(pages.flatMap((page) => page.body)).toEqual(whole);
  expect(pages.every((page) => page.status === 200 && page.body.length <= limit)).toBe(true);
  expect(pages.length).toBeLessThanOrEqual(Math.floor(whole.length / limit) + 1);
});

test('a cursor without a limit gives the rest at once', async () => {
  const whole = (await list('SUPPLIER_FR')).body as ListItem[];
  const first = await list('SUPPLIER_FR', '?limit=3');
  const cursor = /cursor=([^>&]+)/.exec(first.headers['link'] as string)?.[1];
  expect((await list('SUPPLIER_FR', `?cursor=${cursor}`)).body).toEqual(whole.slice(3));
});

test('2,500 processes are streamed as one valid array, and paged without loss', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => `N-${String(index).padStart(5, '0')} "é😀`);
  await insertProcesses(service.database, 'LONG', many, 'imported');
  const response = await fetch(`${service.url}${LIST}/LONG/`, { headers: { authorization: `Token ${token}` } });
  const text = await response.text();
  const items = JSON.parse(text) as ListItem[];
  expect(items.map((item) => item.external_account_number)).toEqual(many);
  expect(text).toBe(JSON.stringify(items));
  const pages = await followPages(service, token, `${LIST}/LONG/?limit=1000`);
  expect(pages.map((page) => page.body.length)).toEqual([1_000, 1_000, 500]);
  expect(pages.flatMap((page) => page.body)).toEqual(items);
});

test('a list of exactly one page of the database ends', async () => {
  await insertProcesses(
    service.database,
    'ROUND',
    Array.from({ length: 1_000 }, (_, index) => `R-${index}`),
    'imported',
  );
  expect((await list('ROUND')).body).toHaveLength(1_000);
});

test('the path without its trailing slash, and HEAD, are the same operation', async () => {
  expect((await service.call('GET', `${LIST}/SUPPLIER_FR`, { token })).body).toEqual((await list('SUPPLIER_FR')).body);
  expect(await service.call('HEAD', `${LIST}/SUPPLIER_FR/`, { token })).toMatchObject({ status: 200, body: undefined });
});
