// Tests of responses that the lists of import processes (operations 9 to 11) share; the test file of each list calls
// them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testTokens } from './endpoint-suites.ts';
import { errorBody } from './error-body.ts';
import { startService, type Answer, type Service } from './harness.ts';
import { byCodePoint, followPages, insertProcesses, type ListItem, type ProcessState } from './import-process-lists.ts';

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

/**
 * Tests the 200, 400, 401 and 404 of a list.
 * @param path of the list, without the supplier
 * @param states of the import processes in it
 */
export function listSuite(path: string, states: readonly ProcessState[]): void {
  const tests = listOf(path);
  testContent(tests, path, states);
  testPages(tests, path, states[0]!);
  testQueries(tests);
  testTokens(tests.service, 'GET', `${path}/SUPPLIER_FR/`);
  testOtherKeys(tests, path);
}

interface ListTests {
  service(): Service;
  token(): string;
  list(supplier: string, query?: string): Promise<Answer>;
}

/** Starts the API, and stores processes in every state. */
function listOf(path: string): ListTests {
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
      await insertProcesses(service.database, 'FOREIGN', [`foreign ${state}`], state);
    }
  });
  afterAll(async () => {
    await service.stop();
  });

  const list = (supplier: string, query = '') => service.call('GET', `${path}/${supplier}/${query}`, { token });
  return { service: () => service, token: () => token, list };
}

function testContent({ service, token, list }: ListTests, path: string, states: readonly ProcessState[]): void {
  test(`returns ${states.join(', ')} accounts by external number, with number and time null until there is an account`, async () => {
    const { status, body } = await list('SUPPLIER_FR');
    expect(status).toBe(200);
    expect(body).toEqual(
      numbersIn(states).map((number) => ({
        external_account_number: number,
        service_account_number: number.startsWith('imported') ? expect.stringMatching(/^A-[2-9A-HJ-NP-Z]{9}$/) : null,
        account_created_at: number.startsWith('imported') ? '2026-03-28T23:30:15Z' : null,
      })),
    );
  });

  test('returns compact JSON, as JSON.stringify writes it, for any numbers', async () => {
    const response = await fetch(`${service().url}${path}/SUPPLIER_FR/`, {
      headers: { authorization: `Token ${token()}` },
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const text = await response.text();
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('returns an empty list for a supplier without accounts, also with a limit', async () => {
    expect((await list('EMPTY')).body).toEqual([]);
    const page = await list('EMPTY', '?limit=5');
    expect(page.body).toEqual([]);
    expect(page.headers).not.toHaveProperty('link');
  });
}

function testPages({ service, token, list }: ListTests, path: string, state: ProcessState): void {
  test.each([1, 7, 17, 1_000])('returns the whole list in pages of %d, followed by Link to the end', async (limit) => {
    const whole = (await list('SUPPLIER_FR')).body as ListItem[];
    const pages = await followPages(service(), token(), `${path}/SUPPLIER_FR/?limit=${limit}`);
    expect(pages.flatMap((page) => page.body)).toEqual(whole);
    expect(pages.every((page) => page.status === 200 && page.body.length <= limit)).toBe(true);
    expect(pages.length).toBeLessThanOrEqual(Math.floor(whole.length / limit) + 1);
  });

  test('returns the rest of the list for a cursor without a limit', async () => {
    const whole = (await list('SUPPLIER_FR')).body as ListItem[];
    const first = await list('SUPPLIER_FR', '?limit=3');
    const cursor = /cursor=([^>&]+)/.exec(first.headers['link'] as string)?.[1];
    expect((await list('SUPPLIER_FR', `?cursor=${cursor}`)).body).toEqual(whole.slice(3));
  });

  test('streams 2,500 processes as one valid array, and pages them without loss', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => `N-${String(index).padStart(5, '0')} "é😀`);
    await insertProcesses(service().database, 'LONG', many, state);
    const response = await fetch(`${service().url}${path}/LONG/`, { headers: { authorization: `Token ${token()}` } });
    const text = await response.text();
    const items = JSON.parse(text) as ListItem[];
    expect(items.map((item) => item.external_account_number)).toEqual(many);
    expect(text).toBe(JSON.stringify(items));
    const pages = await followPages(service(), token(), `${path}/LONG/?limit=1000`);
    expect(pages.map((page) => page.body.length)).toEqual([1_000, 1_000, 500]);
    expect(pages.flatMap((page) => page.body)).toEqual(items);
  });

  test('ends a list of exactly one page of the database', async () => {
    await insertProcesses(
      service().database,
      'ROUND',
      Array.from({ length: 1_000 }, (_, index) => `R-${index}`),
      state,
    );
    expect((await list('ROUND')).body).toHaveLength(1_000);
  });

  test('accepts the path without its trailing slash, and HEAD', async () => {
    expect((await service().call('GET', `${path}/SUPPLIER_FR`, { token: token() })).body).toEqual(
      (await list('SUPPLIER_FR')).body,
    );
    expect(await service().call('HEAD', `${path}/SUPPLIER_FR/`, { token: token() })).toMatchObject({
      status: 200,
      body: undefined,
    });
  });
}

/** The external numbers of the processes in these states, in the order of the list. */
function numbersIn(states: readonly ProcessState[]): string[] {
  return states.flatMap((state) => AWKWARD.map((number) => `${state} ${number}`)).sort(byCodePoint);
}

function testQueries({ list }: ListTests): void {
  const cursorOf = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64url');

  test.each([
    ['limit=0', ['limit']],
    ['limit=1001', ['limit']],
    ['limit=-1', ['limit']],
    ['limit=1.5', ['limit']],
    ['limit=1e2', ['limit']],
    ['limit=', ['limit']],
    ['limit=ten', ['limit']],
    ['limit=%D9%A1', ['limit']],
    ['limit=010', ['limit']],
    ['cursor=', ['cursor']],
    ['cursor=!!!', ['cursor']],
    ['cursor=YQ==', ['cursor']],
    ['cursor=a b', ['cursor']],
    [`cursor=${cursorOf('a\u0000b')}`, ['cursor']],
    [`cursor=${cursorOf(new Uint8Array([0xff, 0xfe]))}`, ['cursor']],
    [`cursor=${cursorOf(new Uint8Array([0xed, 0xa0, 0x80]))}`, ['cursor']],
    ['limit=0&cursor=%00', ['limit', 'cursor']],
  ])('rejects the query %p, and names every wrong parameter', async (query, places) => {
    const answer = await list('SUPPLIER_FR', `?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ detail: expect.any(String), code: 'validation_failed' });
    expect(answer.body.errors.map(({ attr, code }: { attr: string; code: string }) => `${attr} ${code}`)).toEqual(
      places.map((place) => `${place} invalid`),
    );
  });

  test.each([
    ['other=1', 'There is no query parameter "other". This operation accepts limit, cursor.'],
    ['LIMIT=0', 'There is no query parameter "LIMIT". Did you mean limit? This operation accepts limit, cursor.'],
  ])('rejects the unknown parameter in the query %p', async (query, detail) => {
    expect(await list('SUPPLIER_FR', `?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'unknown_query_parameter', detail },
    });
  });

  test.each(['limit=1', 'limit=1000'])('accepts the query %p', async (query) => {
    expect((await list('SUPPLIER_FR', `?${query}`)).status).toBe(200);
  });
}

/** Keys that may not see the supplier of a list. */
function testOtherKeys({ service, list }: ListTests, path: string): void {
  test.each(['FOREIGN', 'NOBODY', 'supplier_fr', 'SUPPLIER_FR%20', 'A%00', '%ED%A0%80', '__proto__', 'constructor'])(
    'answers the supplier %p like one that does not exist',
    async (code) => {
      const answer = await list(code);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorBody('not_found', 'There is no import supplier with this code.'));
    },
  );

  test("answers an operator's key that it needs a supplier's key", async () => {
    const answer = await service().call('GET', `${path}/SUPPLIER_FR/`, { token: service().operatorToken });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(errorBody('not_found', expect.stringMatching(/operator's key.* supplier's key/)));
  });
}
