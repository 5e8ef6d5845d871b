import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isForSuppliers } from '../../src/support-site/frame/supplier-pages.ts';
import { sitePages } from '../../src/support-site/index.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { supplierWithEverything, type OwnThings } from '../support/two-suppliers.ts';

// Every page and form for people of two import suppliers.

let service: Service;
let site: Site;
let acme: OwnThings;
let other: OwnThings;
let ada: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  acme = await supplierWithEverything(service, 'ACME', 1);
  other = await supplierWithEverything(service, 'ZENITH', 11);
  ada = site.visitor();
  await ada.signIn(acme.key);
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

/** Things that exist nowhere. */
const NOTHING: Readonly<Record<string, string>> = new Proxy(
  { supplier: 'NOWHERE', code: 'NOWHERE', outcome: 'failed' },
  { get: (known, name: string) => Reflect.get(known, name) ?? '019ac3f2-0000-7000-8000-000000000000' },
);

const filled = (path: string, things: Readonly<Record<string, string>>) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(things[name] ?? 'x'));

/** Sends a request like the page with a link or form to it would. */
const send = (visitor: Visitor, method: string, path: string) =>
  method === 'GET' ? visitor.get(path) : visitor.post(path, [['reason', 'A reason']]);

/** An error page without its request id, its form token and the breadcrumbs, which repeat the address. */
const withoutIds = (text: string) =>
  text.replaceAll(
    /"form_token" value="[^"]*"|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|<nav class="crumbs"[^]*?<\/nav>/g,
    '',
  );

const own = sitePages.filter(isForSuppliers);
const namesThing = ({ path }: { path: string }) => path.includes('/:');

test('answers 404 for each page and form that people of import suppliers do not have', async () => {
  const others = sitePages.filter((page) => !isForSuppliers(page));
  expect(others.length).toBeGreaterThan(50);
  for (const { method, path } of others) {
    const answer = await send(ada, method, filled(path, acme));
    expect([method, path, answer.status]).toEqual([method, path, 404]);
    expect(answer.text).toContain('This page does not exist.');
  }
});

test('has each of its pages and forms on the site', () => {
  expect(own.length).toBeGreaterThan(35);
  expect(own.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/find', '/jobs/:job/pause', '/settings/keys/:id/revoke']),
  );
});

test('answers the same for what belongs to another import supplier as for what does not exist', async () => {
  for (const { method, path } of own.filter(namesThing)) {
    const foreign = await send(ada, method, filled(path, other));
    const missing = await send(ada, method, filled(path, NOTHING));
    expect([method, path, foreign.status]).toEqual([method, path, 404]);
    expect([path, withoutIds(foreign.text)]).toEqual([path, withoutIds(missing.text)]);
  }
  const { rows } = await service.database.pool.query(
    `select action from audit_entry where actor_name like '%(ACME)' and subject like any($1)`,
    [[`%${other['job']}%`, '%ZENITH%', `%${other['id']}%`]],
  );
  expect(rows).toEqual([]);
});

test('shows on no page what belongs to another import supplier', async () => {
  const foreign = [
    'ZENITH',
    ...['job', 'wave', 'withdrawal', 'reconciliation', 'endpoint', 'id'].map((name) => other[name]!),
  ];
  const gets = own.filter(({ method }) => method === 'GET');
  for (const { path } of gets) {
    const at = filled(path, acme);
    const { status, text } = await ada.get(at);
    // The reconciliation may be in progress, without a certificate.
    expect([path, status]).toEqual([path, path.endsWith('/file') ? expect.any(Number) : 200]);
    expect([path, foreign.filter((one) => text.includes(one))]).toEqual([path, []]);
    for (const query of ['import_supplier=ZENITH', 'import_supplier=ACME&import_supplier=ZENITH', 'supplier=ZENITH']) {
      const asked = await ada.get(`${at}?${query}`);
      const shown = foreign.filter((one) => withoutAddress(asked.text).includes(one));
      expect([path, query, shown]).toEqual([path, query, []]);
    }
  }
});

/** Text of a page without addresses that contain its own query. */
const withoutAddress = (text: string) => text.replaceAll(/supplier=\w+|supplier" value="\w+"/g, '');

test('shows what belongs to the import supplier, without personal data and names of staff', async () => {
  const seen = async (path: string) => (await ada.get(filled(path, acme))).text;
  expect(await seen('/waves')).toContain('Wave of ACME');
  expect(await seen('/waves/:wave')).toContain('Wave of ACME');
  expect(await seen('/jobs')).toContain('Job of ACME');
  expect(await seen('/jobs/:job')).toContain('sales_channel');
  expect(await seen('/jobs/:job/results/:outcome')).toContain('ACME-REJECTED');
  expect(await seen('/certificates')).toContain(acme['reconciliation']);
  expect(await seen('/events')).toContain('https://acme.example/events');
  expect(await seen('/settings/keys')).toContain('Key of ACME');
  expect(await seen('/accounts')).toContain('ACME-ACCOUNT');
  expect(await seen('/suppliers/:code')).toContain('From received to switched');
  const account = await seen('/accounts/:supplier/:external');
  expect(account).toContain('Service account number');
  expect(account).not.toMatch(/Zeller|@example|Colmar/);
  expect(await seen('/withdrawals/:withdrawal')).not.toContain('Secret operator');
});

test('links only to pages that people of import suppliers have', async () => {
  const templates = own.map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`));
  const known = (path: string) =>
    ['/', '/language', '/sign-out'].includes(path) || templates.some((one) => one.test(path));
  for (const { path } of own.filter(({ method }) => method === 'GET')) {
    const { text, headers } = await ada.get(filled(path, acme));
    if (!headers.get('content-type')?.includes('html')) continue;
    const linked = [...text.matchAll(/(?:href|action|hx-get|hx-post)="(\/(?!assets)[^"?#]*)/g)].map(([, to]) => to!);
    expect([path, linked.filter((to) => !known(to))]).toEqual([path, []]);
  }
});

test('leads to the first page of its menu, which has only its own pages', async () => {
  expect(await ada.get('/')).toMatchObject({ status: 303, location: '/waves' });
  const { text } = await ada.get('/waves');
  const entries = [...text.matchAll(/<a href="([^"]+)"[^>]* data-go=/g)].map(([, path]) => path!);
  expect(entries).toEqual(expect.arrayContaining(['/waves', '/suppliers', '/jobs', '/accounts', '/settings/keys']));
  for (const path of entries) expect([path, (await ada.get(path)).status]).toEqual([path, 200]);
  expect(text).toContain('(ACME) <small>supplier</small>');
  expect(text).not.toMatch(/Temporal|\/stuck|\/audit|\/overview/);
});

test('finds numbers, jobs and waves of its import supplier only', async () => {
  const find = async (typed: string) => {
    const { location } = await ada.post('/find', [['q', typed]]);
    return (await ada.get(location!)).text;
  };
  const palette = async (typed: string) => (await ada.post('/find/palette', [['q', typed]])).text;
  expect(await find('ACME-ACCOUNT')).toContain('href="/accounts/ACME/ACME-ACCOUNT"');
  expect(await find(acme['job']!)).toContain(`href="/jobs/${acme['job']}"`);
  expect(await palette(acme['job']!)).toContain(`href="/jobs/${acme['job']}"`);
  for (const typed of ['wave of', acme['wave']!]) {
    expect(await find(typed)).toContain(`<a href="/waves/${acme['wave']}">Wave of ACME</a>`);
  }
  for (const typed of [
    'ZENITH-ACCOUNT',
    'ZENITH-REJECTED',
    other['job']!,
    'Job of ZENITH',
    other['wave']!,
    'Wave of ZENITH',
    'noemie.zeller.1@example.org',
  ]) {
    for (const text of [await find(typed), await palette(typed)]) {
      expect([typed, /href="\/(accounts|jobs|waves)\/[^"]/.test(text)]).toEqual([typed, false]);
    }
  }
  expect(await palette('')).not.toMatch(/Erase|speed/);
});

test('finds jobs of its import supplier behind more jobs of others than one query returns', async () => {
  const { pool } = service.database;
  const more = `insert into import_job
    select (jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid(), 'name', 'Job of others'))).*
    from import_job j, generate_series(1, 60) where j.id = $1`;
  await pool.query(more, [other['job']]);
  const { location } = await ada.post('/find', [['q', 'Job of']]);
  const { text } = await ada.get(location!);
  await pool.query(`delete from import_job where name = 'Job of others'`);
  expect(text).toContain(`href="/jobs/${acme['job']}"`);
  expect(text).not.toContain('Job of others');
});

test('offers no list of the accounts of all import suppliers, which a person of suppliers cannot have', async () => {
  const choices = async (visitor: Visitor) => {
    const { text } = await visitor.get('/accounts');
    return /name="import_supplier"[^>]*>([^]*?)<\/select>/.exec(text)![1]!.match(/value="\w*"/g);
  };
  expect(await choices(ada)).toEqual(['value="ACME"']);
  expect(await choices(await site.signedIn())).toContain('value=""');
});

test('revokes a key of the import supplier, and names the person in the audit', async () => {
  const wanted = { organisation: 'Organisation of ACME', name: 'Spare', role: 'supplier', import_suppliers: ['ACME'] };
  const made = await service.call('POST', '/v1/operations/api-keys/', { token: service.operatorToken, body: wanted });
  await ada.get('/settings/keys');
  expect(await ada.post(`/settings/keys/${made.body.id}/revoke`, [])).toMatchObject({ status: 303 });
  const { rows } = await service.database.pool.query(
    `select action, subject, actor_name from audit_entry where subject = $1 and action = 'api_key.revoked'`,
    [`api-keys/${made.body.id}`],
  );
  expect(rows).toMatchObject([{ actor_name: 'Organisation of ACME / Key of ACME (ACME)' }]);
});

test('records what a person of an import supplier reads', async () => {
  await ada.get(filled('/waves/:wave', acme));
  await ada.get(filled('/waves/:wave', acme));
  await ada.get(filled('/waves/:wave/progress', acme));
  const { rows } = await service.database.pool.query(
    `select subject, count(*)::integer from audit_entry where action = 'site.read' and actor_name like '%(ACME)' and subject like $1
     group by 1 order by 1`,
    [`waves/${acme['wave']}%`],
  );
  expect(rows).toContainEqual({ subject: `waves/${acme['wave']}`, count: 1 });
  expect(rows).toContainEqual({ subject: `waves/${acme['wave']}/progress`, count: 1 });
  const signedIn = await service.database.pool.query(
    `select after from audit_entry where action = 'person.signed_in' and actor_name like '%(ACME)'`,
  );
  expect(signedIn.rows[0].after).toMatchObject({ role: 'supplier', import_suppliers: ['ACME'] });
});

test('shows a person of two import suppliers what belongs to both, and to no third one', async () => {
  await service.database.pool.query(
    `insert into import_supplier (code, name, status) values ('THIRD', 'Third', 'Ongoing') on conflict do nothing`,
  );
  const codes = ['ACME', 'ZENITH'];
  const wanted = { organisation: 'Organisation of ZENITH', name: 'Both', role: 'supplier', import_suppliers: codes };
  const made = await service.call('POST', '/v1/operations/api-keys/', { token: service.operatorToken, body: wanted });
  const visitor = site.visitor();
  await visitor.signIn(made.body.api_key);
  const text = async (path: string) => (await visitor.get(path)).text;
  expect(await text('/accounts')).toContain('ACME-ACCOUNT');
  expect(await text('/accounts')).not.toContain('ZENITH-ACCOUNT');
  expect(await text('/accounts?import_supplier=ZENITH')).toContain('ZENITH-ACCOUNT');
  expect(await text('/waves?import_supplier=ZENITH')).toContain('Wave of ZENITH');
  const choices = [...(await text('/waves')).matchAll(/<option value="([A-Z]+)"/g)].map(([, code]) => code);
  expect(choices).toEqual(codes);
  await service.database.pool.query(`update wave set organisation = 'Organisation of ZENITH' where id = $1`, [
    acme['wave'],
  ]);
  expect(await text('/waves')).toMatch(/Wave of (ACME|ZENITH)[^]*Wave of (ACME|ZENITH)/);
  expect(await text('/waves?import_supplier=ZENITH')).not.toContain('Wave of ACME');
  await service.database.pool.query(`update wave set import_supplier = 'THIRD' where id = $1`, [acme['wave']]);
  for (const path of [
    '/waves',
    '/waves?import_supplier=',
    '/waves?import_supplier=&import_supplier=THIRD',
    '/waves/list',
  ]) {
    expect(await text(path)).not.toContain('Wave of ACME');
  }
  await service.database.pool.query(
    `update wave set import_supplier = 'ACME', organisation = 'Organisation of ACME' where id = $1`,
    [acme['wave']],
  );
  expect((await visitor.get('/waves?import_supplier=THIRD')).status).toBe(404);
  expect((await visitor.get('/suppliers/THIRD')).status).toBe(404);
});

test('shows with a key only jobs and waves of its organization, as the API does', async () => {
  const wanted = { organisation: 'Another', name: 'Reader', role: 'supplier', import_suppliers: ['ACME'] };
  const made = await service.call('POST', '/v1/operations/api-keys/', { token: service.operatorToken, body: wanted });
  const visitor = site.visitor();
  await visitor.signIn(made.body.api_key);
  expect((await visitor.get('/jobs')).text).not.toContain('Job of ACME');
  for (const path of ['/jobs/:job', '/waves/:wave', '/certificates/:reconciliation', '/events/endpoints/:endpoint']) {
    expect([path, (await visitor.get(filled(path, acme))).status]).toEqual([path, 404]);
  }
  for (const path of ['/waves', '/certificates', '/events', '/settings/keys', '/accounts?refusal=x']) {
    expect([path, (await visitor.get(path)).text]).toEqual([
      path,
      expect.not.stringMatching(/(Wave|Key) of ACME|acme\.example/),
    ]);
  }
});

test('offers no certificate that operators keep, and no comparison that only they can start', async () => {
  const { pool } = service.database;
  await pool.query(`update import_job set goal = 'CREATE', wave_id = $2 where id = $1`, [acme['job'], acme['wave']]);
  const compare = (organisation: string | null) =>
    pool.query(
      `update reconciliation set import_job_id = $2, organisation = $3, status = 'COMPLETED', ended_at = now() where id = $1`,
      [acme['reconciliation'], acme['job'], organisation],
    );
  await compare(null);
  const at = filled('/certificates/:reconciliation', acme);
  const kept = (await ada.get(filled('/waves/:wave', acme))).text;
  expect(kept).toContain('The certificate is kept by the operators.');
  expect(kept).not.toContain(at);
  expect((await ada.get(filled('/jobs/:job', acme))).text).not.toContain('href="/certificates?job_id');
  await compare(acme['organisation']!);
  expect((await ada.get(filled('/waves/:wave', acme))).text).toContain(`href="${at}">Certificate<`);
  expect((await ada.get(at)).status).toBe(200);
});

test('opens waves for its own import suppliers only', async () => {
  const wave = (code: string) =>
    ada.post('/waves/new', [
      ['import_supplier', code],
      ['name', `Opened for ${code}`],
      ['operations_team_name', 'Migration'],
    ]);
  await service.database.pool.query(`insert into operations_team (name) values ('Migration') on conflict do nothing`);
  expect((await wave('ACME')).status).toBe(303);
  const foreign = await wave('ZENITH');
  expect([foreign.status, foreign.text]).toEqual([400, expect.stringContaining('No valid API key may import')]);
  const { rows } = await service.database.pool.query(
    `select import_supplier, organisation from wave where name like 'Opened for %'`,
  );
  expect(rows).toEqual([{ import_supplier: 'ACME', organisation: acme['organisation'] }]);
});
