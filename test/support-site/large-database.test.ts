import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import pg from 'pg';
import { checkPage } from '../../src/check/check-page.client.ts';
import { createLog } from '../../src/platform/log.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { countingReads } from '../support/rows-read.ts';
import { sitePages } from '../../src/support-site/index.ts';
import { sitePaths } from '../support/site-paths.ts';
import { generateRows } from '../support/generated-rows.ts';
import { startService, type Service } from '../support/harness.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

/** More than a page scans, so that some lists need several pages. */
const GENERATED = 12_000;

let service: Service;
let site: Site;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  const listed = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: '=LISTED-1' }, 1);
  await createAccounts(service.database, 'SUPPLIER_FR', [listed]);
  const client = await service.database.pool.connect();
  try {
    await generateRows(client, { accounts: GENERATED, points: GENERATED });
  } finally {
    client.release();
  }
  site = await startSite(service);
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

interface Listed {
  external_account_number: string;
  import_supplier: string;
  created_at: string | null;
}

/** All pages of a list. */
async function pagesOf(filters: string, limit = 1_000): Promise<Listed[][]> {
  const pages: Listed[][] = [];
  let path: string | undefined = `/v1/operations/accounts/?${filters}&limit=${limit}`;
  while (path !== undefined) {
    const answer = await service.call('GET', path, { token: service.operatorToken });
    expect(answer.status).toBe(200);
    pages.push(answer.body as Listed[]);
    path = /<([^>]+)>; rel="next"/.exec(answer.headers['link'] ?? '')?.[1];
  }
  return pages;
}

const numbersOf = async (filters: string) =>
  (await pagesOf(filters)).flat().map(({ external_account_number: number }) => number);

/** The expected list, queried without paging; `n` is the number of a generated account. */
async function expected(where: string, order: string): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ external: string }>(
    `select p.external_account_number as external from import_process p left join account a on a.import_process_id = p.id where ${where} order by ${order}`,
  );
  return rows.map(({ external }) => external);
}

const BY_NUMBER = 'p.import_supplier, p.external_account_number';
const OF_TARIFF = (code: string) =>
  `exists (select from agreement g where g.account_id = a.id and g.tariff_code = '${code}')`;
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

test.each<[string, string, string]>([
  ['', 'true', BY_NUMBER],
  ['import_supplier=MANY_2', `p.import_supplier = 'MANY_2'`, BY_NUMBER],
  ['import_supplier=NOBODY', 'false', BY_NUMBER],
  ['status=STAGED', 'p.imported_at is null and p.skipped_at is null and p.refusal is null', BY_NUMBER],
  ['status=REFUSED', 'p.refusal is not null', BY_NUMBER],
  ['status=SKIPPED&import_supplier=MANY_2', `p.skipped_at is not null and p.import_supplier = 'MANY_2'`, BY_NUMBER],
  ['status=CREATED', 'a.id is not null', BY_NUMBER],
  ['refusal=quarantined', `p.refusal ->> 'code' = 'creation_failed'`, BY_NUMBER],
  [
    'refusal=invalid_siret&import_supplier=MANY_1',
    `p.refusal::text like '%invalid_siret%' and p.import_supplier = 'MANY_1'`,
    BY_NUMBER,
  ],
  ['switch_status=REJECTED', `a.switch_status = 'REJECTED'`, BY_NUMBER],
  [
    'switch_status=PENDING&import_supplier=MANY_3',
    `a.switch_status = 'PENDING' and p.import_supplier = 'MANY_3'`,
    BY_NUMBER,
  ],
  ['status=REFUSED&switch_status=REJECTED', 'false', BY_NUMBER],
  ['tariff=TARIFF-99', OF_TARIFF('TARIFF-99'), 'a.id desc'],
  ['tariff=TARIFF-7&import_supplier=MANY_3', `${OF_TARIFF('TARIFF-7')} and p.import_supplier = 'MANY_3'`, 'a.id desc'],
  [
    `created_from=${day(3)}&created_to=${day(2)}`,
    `a.created_at >= '${day(3)}Z' and a.created_at < '${day(1)}Z'`,
    'a.id desc',
  ],
  [`staged_to=${day(60)}&status=REFUSED`, `p.refusal is not null and p.staged_at < '${day(59)}Z'`, 'p.id desc'],
  [`staged_from=${day(1)}`, `p.staged_at >= '${day(1)}Z'`, 'p.id desc'],
])('all accounts with %s are listed once, in order', async (filters, where, order) => {
  const wanted = await expected(where, order);
  expect(await numbersOf(filters)).toEqual(wanted);
  expect(wanted.length > 0).toBe(where !== 'false');
});

test('scans a bounded number of accounts per page, and links the next page even without a match', async () => {
  const pages = await pagesOf('tariff=TARIFF-7&created_to=2020-01-01');
  expect(pages).toEqual([[]]);
  const short = await pagesOf('status=CREATED&switch_status=REJECTED&refusal=quarantined');
  expect(short.flat()).toEqual([]);
  const sparse = await pagesOf(`staged_from=${day(200)}&status=SKIPPED`, 1_000);
  expect(sparse.length).toBeGreaterThan(1);
  expect(sparse.flat()).toHaveLength(GENERATED / 100);
});

test('lists each account with its numbers, codes and timestamps', async () => {
  const [[refused]] = (await pagesOf('refusal=invalid_siret', 1)) as [[Listed]];
  expect(refused).toEqual({
    import_supplier: expect.stringMatching(/^MANY_/),
    external_account_number: expect.stringMatching(/^MANY-/),
    service_account_number: null,
    status: 'REFUSED',
    switch_status: null,
    refusal_codes: ['invalid_siret'],
    staged_at: expect.stringMatching(/Z$/),
    created_at: null,
  });
  const [[created]] = (await pagesOf('import_supplier=SUPPLIER_FR')) as [[Listed]];
  expect(created).toMatchObject({
    service_account_number: expect.stringMatching(/^A-/),
    status: 'CREATED',
    switch_status: 'PENDING',
    refusal_codes: [],
    created_at: expect.any(String),
  });
});

test('lists the same accounts on the support site, keeps the filters in the address, and links accounts and the next page', async () => {
  const { text, status } = await viewer.get('/accounts?status=CREATED&import_supplier=MANY_1');
  expect(status).toBe(200);
  expect(text).toContain('<option value="CREATED" selected>created</option>');
  expect(text.match(/href="\/accounts\/MANY_1\//g)).toHaveLength(50);
  const next = /href="(\/accounts\?[^"]*cursor=[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&');
  const second = (await viewer.get(next)).text;
  const numbersIn = (page: string) =>
    [...page.matchAll(/href="\/accounts\/MANY_1\/([^"]*)"/g)].map(([, number]) => number);
  expect([...numbersIn(text), ...numbersIn(second)]).toEqual(
    (await numbersOf('status=CREATED&import_supplier=MANY_1')).slice(0, 100),
  );
  expect((await viewer.get('/accounts?status=NONE')).status).toBe(400);
  expect((await viewer.get('/accounts?tariff=NONE')).text).toContain('No account matches these filters.');
  const hostile = (await viewer.get(`/accounts?tariff=${encodeURIComponent('"><script>')}`)).text;
  expect(hostile).toContain('&quot;&gt;&lt;script&gt;');
});

test('exports a list as a file with numbers and codes, without formulas, and audits the export', async () => {
  const file = await viewer.get('/accounts.csv');
  expect(file.headers.get('content-type')).toContain('text/csv');
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="accounts.csv"');
  const [heads, ...lines] = file.text.trimEnd().split('\r\n');
  expect(heads).toBe(
    '"import_supplier";"external_account_number";"service_account_number";"status";"switch_status";"refusal_codes";"staged_at";"created_at"',
  );
  expect(lines).toHaveLength(GENERATED + 1);
  expect(lines.at(-1)).toMatch(/^"SUPPLIER_FR";"'=LISTED-1";"A-\w+";"CREATED";"PENDING";"";"[^;]+Z";"[^;]+Z"$/);
  const refused = (await viewer.get('/accounts.csv?refusal=quarantined&import_supplier=MANY_1')).text;
  expect(refused.trimEnd().split('\r\n').slice(1)).toEqual(
    (await numbersOf('refusal=quarantined&import_supplier=MANY_1')).map((number) =>
      expect.stringMatching(new RegExp(`^"MANY_1";"${number}";"";"REFUSED";"";"quarantined";"[^;]+Z";""$`)),
    ),
  );
  const audit = await service.call('GET', '/v1/operations/audit/?action=accounts.exported', {
    token: service.operatorToken,
  });
  expect(audit.body[0]).toMatchObject({
    actor: { name: expect.stringContaining('Ada') },
    after: { refusal: 'quarantined' },
  });
});

test('links a business to its accounts in pages, and finds the business', async () => {
  const found = (await viewer.get('/find?q=SHOP-50')).text;
  const path = /href="(\/businesses\/\d+)"/.exec(found)![1]!;
  const { text } = await viewer.get(path);
  expect(text.match(/href="\/accounts\/MANY_2\/[^"]+"/g)).toHaveLength(50);
  const links = new Set(text.match(/href="\/accounts\/MANY_2\/[^"]+"/g));
  for (let page = text; ;) {
    const next = /href="(\/businesses\/[^"]*accounts_after=[^"]*)"/.exec(page)?.[1];
    if (next === undefined) break;
    page = (await viewer.get(next.replaceAll('&amp;', '&'))).text;
    for (const link of page.match(/href="\/accounts\/MANY_2\/[^"]+"/g)!) links.add(link);
  }
  expect(links.size).toBe(GENERATED / 100);
  expect((await viewer.get(/href="(\/accounts\/MANY_2\/[^"]+)"/.exec(text)![1]!)).text).toContain(`href="${path}"`);
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Rows that a page may scan in one table; every growing table has more here. */
const LOOKED_AT_MAX = 5_100;

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Tables of which a statement scans more rows than a page may. */
function readWhole(plan: PlanNode): string[] {
  return nodesOf(plan).flatMap((node) => {
    const rows =
      node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    const table = node['Relation Name'];
    return table !== undefined && rows * node['Actual Loops'] > LOOKED_AT_MAX ? [table] : [];
  });
}

test('reads no growing table completely on any page', async () => {
  const pages = sitePages.filter(({ method }) => method === 'GET');
  const pathsOf = await sitePaths(service.database.pool);
  const administrator = await site.signedIn();
  // A page that no request covers: add its parameters to site-paths.ts.
  expect(pages.filter(({ path }) => pathsOf(path).length === 0).map(({ path }) => path)).toEqual([]);
  const found: unknown[] = [];
  for (const path of pages.flatMap(({ path: of }) => pathsOf(of))) {
    const { statements, answer } = await watched(() => administrator.get(path));
    expect({ path, isShown: answer.status < 400, reads: statements.length > 0 }).toEqual({
      path,
      isShown: true,
      reads: true,
    });
    for (const { text, values } of statements) {
      const { rows } = await service.database.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      const tables = readWhole(rows[0]!['QUERY PLAN'][0].Plan);
      if (tables.length > 0) found.push({ path, tables, text: text.replaceAll(/\s+/g, ' ').slice(0, 300) });
    }
  }
  expect(found).toEqual([]);
});

test('reads only open work in a consistency check, in pages, whatever the number of accounts', async () => {
  const { database, read } = countingReads(service, '');
  const log = createLog({ level: 'silent', process: 'test' });
  const deps = { ...service, log, database: { ...service.database, ...database } };
  let [cursor, lookedAt] = ['' as string | null, 0];
  while (cursor !== null) {
    const page = await checkPage(deps, { cursor, hungUp: new AbortController().signal });
    if (isRefused(page)) throw new Error(page.code);
    [cursor, lookedAt] = [page.next_cursor, lookedAt + page.looked_at];
  }
  expect(read.filter(([, rows]) => rows > LOOKED_AT_MAX)).toEqual([]);
  // Scheduled switches, finished accounts and applied messages are not open work.
  expect(lookedAt).toBeLessThan(GENERATED / 10);
});

interface Asked {
  text: string;
  values: unknown[];
}

/** Runs a function. @returns the statements of the support site meanwhile */
async function watched<T>(work: () => Promise<T>): Promise<{ statements: Asked[]; answer: T }> {
  const statements = new Map<string, Asked>();
  const query = pg.Client.prototype.query;
  const isOfSite = (client: object) =>
    (
      client as { connectionParameters: { application_name?: string } }
    ).connectionParameters.application_name?.startsWith('gangway-support-site') === true;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [asked, values] = given as [string | Asked, unknown[] | undefined];
    const text = typeof asked === 'string' ? asked : asked.text;
    if (
      isOfSite(this) &&
      /^\s*(?:select|with)\b/i.test(text) &&
      !/\b(?:insert into|update|delete from)\b/i.test(text)
    ) {
      statements.set(text, { text, values: (typeof asked === 'string' ? values : asked.values) ?? [] });
    }
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  try {
    return { answer: await work(), statements: [...statements.values()] };
  } finally {
    pg.Client.prototype.query = query;
  }
}
