import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { findAnything } from '../../../src/search/index.ts';
import { domesticAccount, meterPointNumber } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';
import { startSite } from '../../support/support-site.ts';
import { nodesOf, type PlanNode } from '../../support/query-plan.ts';
import { recordStatements } from '../../support/recorded-statements.ts';
import { putJob } from '../../support/run-import-job.ts';

const ROWS = 5_000;
const BATCH = '018f3c1e-0000-7000-8000-000000000001';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'FOUND-1' }, 1);
await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const wanted = {
  external_account_number: 'FOUND-1',
  import_supplier_code: 'SUPPLIER_FR',
  operations_team_name: 'Migration',
};
const created = await service.call('POST', '/v1/data-import/account-import-process/process/', { token, body: wanted });
if (created.status !== 201) throw new Error(JSON.stringify(created.body));
const number: string = created.body.service_account_number as string;
await addRows();

/** Enough rows that reading a whole table costs more than an index lookup. */
async function addRows(): Promise<void> {
  const rows = `from generate_series(1, ${ROWS}) g`;
  const client = await service.database.pool.connect();
  try {
    // Rows without relations: only the search for them matters.
    for (const statement of [
      `set session_replication_role = replica`,
      `insert into import_process select n.* from import_process p, generate_series(1, ${ROWS}) g,
        jsonb_populate_record(p, jsonb_build_object('id', md5('process' || g), 'external_account_number', 'MANY-' || g)) n`,
      `insert into account select n.* from account a, generate_series(1, ${ROWS}) g,
        jsonb_populate_record(a, jsonb_build_object('id', md5('account' || g), 'number', 'B-' || g, 'creation_id', md5('creation' || g),
          'import_process_id', md5('process' || g), 'external_account_number', 'MANY-' || g)) n`,
      `insert into customer (account_id, position, given_name, family_name, email, mobile_e164, landline_e164)
        select gen_random_uuid(), 0, 'Given' || g, 'Family' || g, 'person' || g || '@example.org', '+336' || (10000000 + g), '+333' || (10000000 + g) ${rows}`,
      `insert into supply_point (supply_type, identifier) select 'GAS', 'GI' || g ${rows}`,
      `insert into account_supply_point select n.* from account_supply_point s, generate_series(1, ${ROWS}) g,
        jsonb_populate_record(s, jsonb_build_object('account_id', md5('account' || g), 'supply_point_id', md5('point' || g || s.supply_point_id))) n`,
      `insert into look_up (network_operator, identifier, customer_authorisation, state) select 'grdf', 'GI' || g, false, 'pending' ${rows}`,
      `insert into business (id, import_supplier, external_business_identifier, company_name, sent_empty)
        select gen_random_uuid(), 'SUPPLIER_FR', 'SHOP-' || g, 'Shop', '{}' ${rows}`,
      `insert into population_batch (id, organisation_id, customer_category, customer_authorisation, warnings)
        select case g when 1 then '${BATCH}'::uuid else gen_random_uuid() end, gen_random_uuid(), 'Domestic', false, '{}' ${rows}`,
      `set session_replication_role = origin`,
      `analyze`,
    ]) {
      await client.query(statement);
    }
  } finally {
    client.release();
  }
}

const find = async (typed: string) =>
  (await service.call('GET', `/v1/operations/search/?q=${encodeURIComponent(typed)}`, { token: service.operatorToken }))
    .body as { results: Record<string, unknown>[]; complete: boolean };

const account = () => ({ kind: 'account', import_supplier: 'SUPPLIER_FR', id: 'FOUND-1', service_number: number });

const KNOWN: [string, string, () => string][] = [
  ['external_account_number', 'an external number', () => 'FOUND-1'],
  ['service_account_number', 'a service account number in any notation', () => ` ${number.toLowerCase()} `],
  ['supply_point_identifier', 'a PRM', () => meterPointNumber(2, 1)],
  ['supply_point_identifier', 'a PRM with blanks', () => meterPointNumber(2, 1).replace(/(\d{4})/g, '$1 ')],
  ['email', 'an e-mail address', () => 'Noemie.Zeller.1@example.org'],
  ['phone', 'a telephone number', () => '06 12 34 56 78'],
  ['phone', 'another telephone number', () => '+33 3 89 20 20 20'],
  ['name', 'a name', () => 'Zell'],
  ['name', 'given and family name', () => 'noémie zeller'],
  ['name', 'family and given name', () => 'ZELLER No'],
  ['name', 'a name without accents', () => 'noemie zeller'],
  ['name', 'a name in decomposed Unicode', () => 'Noémie Zeller'.normalize('NFD')],
  ['name', 'a name after titles', () => 'M. et Mme Zeller'],
  ['name', 'a name directly after a title', () => 'Mme.Zeller, Noémie'],
  ['name', 'name and town', () => 'Zeller Colmar'],
  ['name', 'town, family and given name', () => 'colmar Zeller Noemie'],
  ['name', 'postcode and name', () => '68000 Noémie Zeller'],
  ['name', 'name, postcode and town', () => 'Madame Zeller 68 000 COLMAR'],
  ['name', 'street, name and town in any order', () => '7 quai Zeller des Tanneurs Colmar Mme'],
  ['name', 'given name, town and family name', () => 'noemie Colmar zeller'],
  ['name', 'name and beginning of the postcode', () => 'Zeller 68'],
];

test.each([
  ['Œuvrard', 'Hélène', ['Oeuvrard', 'OEUVRARD Helene', 'helene œuvrard', 'Mme Oeuvrard']],
  ["d'Essai", 'Zoé', ['d’Essai', 'dEssai', "D'ESSAI Zoe", 'd essai', 'Monsieur d’Essai']],
  ['Lefèvre', null, ['Lefevre', 'LEFÈVRE', 'le fevre', 'Lefe', 'Maître Lefevre']],
  ['D’ANGÉLY', 'Jean-Pierre', ["d'angely", 'DAngély', 'jean pierre D’Angély', 'D’Angély Jean-P']],
  ['Ægidius'.normalize('NFD'), 'Łukasz', ['aegidius', 'AEGIDIUS Lukasz', 'Lukasz Ægidius']],
])('finds %s in every spelling', async (family, given, spellings) => {
  const client = await service.database.pool.connect();
  try {
    await client.query(
      `insert into customer (account_id, position, family_name, given_name) select id, 90, $1, $2 from account where external_account_number = 'FOUND-1'`,
      [family, given],
    );
    for (const typed of spellings) {
      expect({ typed, ...(await find(typed)) }).toEqual({
        typed,
        results: [{ ...account(), found_by: 'name' }],
        complete: true,
      });
    }
  } finally {
    await client.query(`delete from customer where position = 90`);
    client.release();
  }
});

test.each(KNOWN)('finds an account by %s: %s', async (foundBy, _words, typed) => {
  expect(await find(typed())).toEqual({ results: [{ ...account(), found_by: foundBy }], complete: true });
});

test('finds a business, a batch and a point that is on no account', async () => {
  const [shop] = (await find('SHOP-7')).results;
  expect(shop).toMatchObject({ kind: 'business', id: 'SHOP-7', found_by: 'external_business_identifier' });
  expect((await find(String(shop!['service_number']))).results).toMatchObject([
    { kind: 'business', id: 'SHOP-7', found_by: 'service_business_id' },
  ]);
  expect((await find(BATCH.toUpperCase())).results).toMatchObject([{ kind: 'population_batch', id: BATCH }]);
  expect((await find('gi 1234')).results).toMatchObject([
    { kind: 'supply_point', id: 'GI1234', service_number: 'grdf' },
  ]);
});

test('finds companies by words of their name in any order, without case, accents, apostrophes and legal forms', async () => {
  const { pool } = service.database;
  await pool.query(
    `update business set company_name = 'SARL L’Étoile du Nœud-Vert' where external_business_identifier = 'SHOP-9'`,
  );
  for (const typed of ["l'etoile", 'noeud vert etoile', 'ETOILE', "Vert l'Étoile SAS", 'étoi', 'SARL étoile']) {
    const { results } = await find(typed);
    expect({ typed, results }).toMatchObject({
      typed,
      results: [{ kind: 'business', id: 'SHOP-9', found_by: 'company_name' }],
    });
  }
  for (const typed of ['étoile rouge', 'toile', "'\\", "etoile\\' & '"]) {
    expect({ typed, ...(await find(typed)) }).toMatchObject({ typed, results: [] });
  }
  expect((await find('shop')).results).toHaveLength(50);
});

test('finds jobs and waves by their name, messages by their id, and accounts by the reference of a mandate', async () => {
  const { pool } = service.database;
  const jobId = await putJob(service.database, { goal: 'VALIDATE', lines: [{}] });
  await pool.query(`update import_job set name = 'Vague n° 3, Été' where id = $1`, [jobId]);
  const { rows } = await pool.query<{ id: string }>(
    `insert into wave (id, import_supplier, organisation, api_key_id, name, operations_team)
     values (gen_random_uuid(), 'SUPPLIER_FR', 'Org', gen_random_uuid(), 'Vague n° 3', 'Migration') returning id`,
  );
  const wave = { kind: 'wave', import_supplier: 'SUPPLIER_FR', id: rows[0]!.id, name: 'Vague n° 3' };
  expect((await find('vague N° 3')).results).toMatchObject([
    { kind: 'import_job', id: jobId, name: 'Vague n° 3, Été', found_by: 'import_job_name' },
    { ...wave, found_by: 'wave_name' },
  ]);
  expect((await find(wave.id)).results).toMatchObject([{ ...wave, found_by: 'wave_id' }]);
  await service.call('POST', '/v1/operations/market-messages/', {
    token: service.operatorToken,
    body: [
      {
        ...{ message_id: 'MESSAGE-7', import_supplier: 'SUPPLIER_FR', external_account_number: 'NOT-THERE' },
        ...{ outcome: 'ACCEPTED', occurred_at: '2026-01-05T08:00:00Z' },
      },
    ],
  });
  expect((await find('MESSAGE-7')).results).toMatchObject([
    { kind: 'market_message', id: 'MESSAGE-7', found_by: 'message_id' },
  ]);
  await pool.query(`insert into payment_instruction (account_id, position, vendor, reference, type)
    select id, 90, 'GOCARDLESS', 'MD0007', 'DIRECT_DEBIT' from account where external_account_number = 'FOUND-1'`);
  expect((await find('MD0007')).results).toEqual([{ ...account(), found_by: 'payment_reference' }]);
});

test('returns further people of a name on further pages', async () => {
  const { pool } = service.database;
  await pool.query(`insert into customer (account_id, position, family_name, given_name)
    select id, 91, 'Plusieurs', 'Given' || g from (select id, row_number() over () g from account limit 70) a`);
  const pages = [1, 2].map((page) => findAnything(service.database, { keyName: 'test' }, 'plusieurs', page));
  const [first, second] = await Promise.all(pages);
  expect([first!.results.length, first!.complete, second!.results.length, second!.complete]).toEqual([
    50,
    false,
    20,
    true,
  ]);
  expect(new Set([...first!.results, ...second!.results].map(({ id }) => id)).size).toBe(70);
  await pool.query('delete from customer where position = 91');
});

test('finds one of very many people of a name by their place, and says when not all were compared', async () => {
  const { pool } = service.database;
  const people = 'insert into customer (account_id, position, family_name, given_name)';
  await pool.query(`${people} select a.id, 100 + g, 'Exemple', 'Given' || g from generate_series(1, 4000) g, account a
    where external_account_number = 'MANY-7'`);
  await pool.query(
    `update account set billing_postcode = '56000', billing_address3 = 'Vannes' where external_account_number = 'MANY-7'`,
  );
  await pool.query(
    `${people} select id, 100, 'Exemple', 'Yann' from account where external_account_number = 'FOUND-1'`,
  );
  const search = (typed: string) => findAnything(service.database, { keyName: 'test' }, typed);
  const found = { results: [{ ...account(), found_by: 'name' }], complete: true, tooManyOfName: false };
  expect(await search('Exemple 68000')).toEqual(found);
  expect(await search('Exemple Lille')).toEqual({ results: [], complete: true, tooManyOfName: false });
  await pool.query(`${people} select a.id, 10000 + g, 'Exemple', 'Aaron' from generate_series(1, 2000) g, account a
    where external_account_number = 'MANY-7'`);
  expect(await search('Exemple 68000')).toEqual({ results: [], complete: true, tooManyOfName: true });
  expect(await search('Yann Exemple 68000')).toEqual(found);
  expect(await find('Exemple Lille')).toEqual({ results: [], complete: false });
  await pool.query('delete from customer where position >= 100');
});

test('finds nothing by an unknown name, and nothing by half a name of two people', async () => {
  for (const typed of [
    '',
    ' ',
    'a\0b',
    'nobody',
    'x'.repeat(300),
    '%',
    'Zeller Basile',
    '+33699999999',
    '--',
    "' '",
    'Zeller Paris',
    '75001 Zeller',
    'Zeller 000',
    'Zeller rue Tanneurs',
    '68000',
    'Mme',
  ]) {
    expect({ typed, ...(await find(typed)) }).toEqual({ typed, results: [], complete: true });
  }
});

test('reads no whole table or index', async () => {
  const searches = [
    ...KNOWN.map(([, , word]) => word()),
    'SHOP-7',
    '7',
    BATCH,
    'GI1234',
    'Family77',
    'Given8 Family8',
    'noeud vert',
  ];
  const sent = await recordStatements(service.database.pool, async () => {
    for (const typed of searches) await findAnything(service.database, { keyName: 'test' }, typed);
  });
  const read: string[] = [];
  // The role of the service has its session settings.
  const asService = new pg.Client(service.settings.DATABASE_URL);
  await asService.connect();
  for (const { text, values } of sent.filter((one) => one.text.startsWith('select'))) {
    const explained = await asService.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (format json) ${text}`,
      values,
    );
    for (const node of nodesOf(explained.rows[0]!['QUERY PLAN'][0].Plan)) {
      const table = node['Relation Name'];
      if (table === 'import_supplier') continue;
      const isKeyed = node['Index Cond'] !== undefined;
      if (node['Node Type'] === 'Seq Scan' || (node['Index Name'] && !isKeyed)) read.push(`${table}: ${text}`);
    }
  }
  await asService.end();
  expect(read).toEqual([]);
  // Every way to search was planned.
  expect(new Set(sent.map(({ text }) => text)).size).toBeGreaterThanOrEqual(15);
});

test('audits each search, without the search term', async () => {
  await find('noemie.zeller.1@example.org');
  const audit = await service.call('GET', '/v1/operations/audit/?subject=search', { token: service.operatorToken });
  expect(audit.body[0]).toMatchObject({ action: 'operations.searched', after: { found: 1, found_by: ['email'] } });
  const { rows } = await service.database.pool.query(`select 1 from audit_entry e where e::text ilike '%zeller%'`);
  expect(rows).toEqual([]);
});

test('finds the same on the support site, with links to the account, and shows text as text', async () => {
  const site = await startSite(service);
  try {
    const viewer = await site.signedIn('read');
    const { status, text } = await viewer.get('/find?q=zeller');
    expect(status).toBe(200);
    expect(text).toContain('href="/accounts/SUPPLIER_FR/FOUND-1"');
    expect(text).not.toMatch(/Noémie|Colmar|example\.org|\+33/);
    expect(text).toContain('Names and towns are masked for viewers.');
    const operator = await (await site.signedIn('operate')).get('/find?q=zeller');
    expect(operator.text).toMatch(/Noémie[^<]*Zeller<\/a>/i);
    expect(operator.text).toMatch(/68000 Colmar/);
    // Addresses contain no names of people, and no other program reads them there.
    expect(await viewer.post('/find', [['q', ' FOUND-1 ']])).toMatchObject({
      status: 303,
      location: '/find?q=FOUND-1',
    });
    expect(await viewer.post('/find', [['q', ' ']])).toMatchObject({ status: 303, location: '/find' });
    const { location } = await viewer.post('/find', [['q', 'Noémie Zeller']]);
    expect(location).toMatch(/^\/find\?sealed=[\w-]+$/);
    expect((await viewer.get(location!)).text).toContain('href="/accounts/SUPPLIER_FR/FOUND-1"');
    const other = await (await site.signedIn('read')).get(location!);
    expect(other.text).toContain('This link belongs to another session');
    expect(other.text).not.toContain('FOUND-1');
    const listed = async (typed: string) => (await viewer.post('/find/palette', [['q', typed]])).text;
    expect(await listed('throttle')).toContain('Change the speed of Enedis');
    expect(await listed('supplier_fr')).toContain('href="/suppliers/SUPPLIER_FR"');
    const hostile = '"><script>alert(1)</script>';
    const shown = (await viewer.get(`/find?q=${encodeURIComponent(hostile)}`)).text;
    expect(shown).toContain('&quot;&gt;&lt;script&gt;');
    expect(shown).not.toContain('<script>alert');
    expect(shown).toContain('Nothing was found.');
    expect(shown).toContain('find created accounts only');
    expect((await viewer.get('/find?q=aline+colmar')).text).toContain(
      'Type the whole family name with a first name or',
    );
    expect((await viewer.get('/find?q=A-1')).text).not.toContain('Type the whole family name');
  } finally {
    await site.stop();
  }
});
