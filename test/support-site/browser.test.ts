import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount, meterPointNumber } from '../support/account-payload.ts';
import { attachmentCalls, payment } from '../support/attachments.ts';
import { businessRequest } from '../support/business-payload.ts';
import { HARM, HOSTILE_MARKUP, sendHostile } from '../support/hostile-markup.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/provider.ts';
import {
  DESK,
  partsOf,
  PHONE,
  overflowingElements,
  seriousFindings,
  startBrowser,
  type OpenPage,
  type TestBrowser,
} from '../support/browser.ts';
import { points, startPopulation, sums, type PopulationService } from '../support/population.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { furtherEntries } from '../support/site-paths.ts';
import { startSite, type Site } from '../support/support-site.ts';
import { resetInWebUi } from '../support/temporal-web-ui.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';

// The site in a real browser, with scripts.

const HOSTILE = `<img src=x onerror="document.title='harmed'">`;

let service: PopulationService;
let site: Site;
let provider: TestProvider;
let browser: TestBrowser;
let token: string;
beforeAll(async () => {
  service = await startPopulation({ settings: { CREATION_TIMEOUT_MS: '2000' } });
  token = service.token;
  const url = `http://127.0.0.1:${await reservePort()}`;
  provider = await startProvider(`${url}/sign-in/callback`, { ada: { name: HOSTILE, roles: 'operator' } });
  site = await startSite(service, {
    SUPPORT_SITE_PORT: new URL(url).port,
    SUPPORT_SITE_URL: url,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    TEMPORAL_UI_URL: process.env['TEST_TEMPORAL_UI'] as string,
  });
  browser = await startBrowser();
  await addStuckMessage('M-1', 'A-1');
  await addStuckMessage('M-2', HOSTILE);
}, 120_000);
afterAll(async () => {
  await browser.stop();
  await site.stop();
  await provider.stop();
  await service.stop();
});

/** A market message for an unknown account: it is pending until the account is created or the message dismissed. */
async function addStuckMessage(id: string, account: string): Promise<void> {
  const { status } = await service.call('POST', '/v1/operations/market-messages/', {
    token: service.operatorToken,
    body: [
      {
        message_id: id,
        import_supplier: 'SUPPLIER_FR',
        external_account_number: account,
        outcome: 'ACCEPTED',
        occurred_at: '2026-01-05T08:00:00Z',
      },
    ],
  });
  expect(status).toBe(200);
}

const post = (path: string) => (body: unknown) => service.call('POST', `/v1/data-import/${path}`, { token, body });
const stage = post('account-import-process/create-or-update/');
const create = (external: string) =>
  post('account-import-process/process/')({
    import_supplier_code: 'SUPPLIER_FR',
    external_account_number: external,
    operations_team_name: 'Migration',
  });

async function signInByKey({ page }: OpenPage, scope: 'all' | 'read', path = '/'): Promise<void> {
  await page.goto(site.url + path);
  await page.fill('#key', await site.key(scope));
  await page.click('main button');
  await page.waitForSelector('.person');
}

test('signs in by key and out, and rejects a copy of the cookie afterwards', async () => {
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all', '/stuck?cause=x');
  expect(page.url()).toBe(`${site.url}/stuck?cause=x`);
  const stolen = await page.context().cookies();
  expect(stolen).toMatchObject([{ name: 'gangway', httpOnly: true, sameSite: 'Lax' }]);
  await page.click('.person button');
  expect(await page.textContent('main')).toContain('You are signed out.');
  const thief = await browser.page();
  await thief.page.context().addCookies(stolen);
  await thief.page.goto(`${site.url}/stuck`);
  expect(thief.page.url()).toContain('/sign-in');
  expect([...opened.complaints, ...thief.complaints]).toEqual([]);
});

test('signs in at the provider, and escapes its claims', async () => {
  const { page, complaints } = await browser.page();
  await page.goto(`${site.url}/stuck`);
  await page.click('a.button');
  await page.fill('input[name=login]', 'ada');
  await page.fill('input[name=password]', 'any');
  await page.click('button[type=submit]');
  await page.click('button[type=submit]');
  await page.waitForURL(`${site.url}/stuck`);
  expect(await page.textContent('.person')).toContain(HOSTILE);
  expect(await page.title()).toBe('Stuck – gangway');
  await page.click('.person button');
  expect(page.url()).toContain('/sign-in');
  // The provider's page requests a font from another host.
  expect(complaints.filter((line) => line.startsWith(site.url))).toEqual([]);
});

test('leads from the alert to the retry in three clicks', async () => {
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all', '/overview');
  await page.click('#cause-market_message_unknown_account');
  expect(page.url()).toBe(`${site.url}/stuck?cause=market_message_unknown_account`);
  const row = page.locator('tbody tr', { hasText: 'A-1' });
  expect(await page.textContent('main')).toContain('market_message_unknown_account');
  await row.locator('input[type=checkbox]').check();
  await page.click('text=Retry the selected items');
  expect(await page.textContent('.flash')).toContain('1 not retried: a decision is needed.');
  await page.reload();
  expect(await page.locator('.flash').count()).toBe(0);
  const { rows } = await service.database.pool.query(
    `select actor_name from audit_entry where action = 'stuck.retried'`,
  );
  expect(rows).toEqual([{ actor_name: 'staff all / Ada' }]);
  await page.check('input[data-marks-all]');
  expect(await page.locator('input[name=id]:checked').count()).toBe(await page.locator('input[name=id]').count());
  expect(await page.title()).toBe('Market message for an unknown account – gangway');
  expect(opened.complaints).toEqual([]);
});

test('shows viewers stuck work without a button to retry', async () => {
  const opened = await browser.page();
  await signInByKey(opened, 'read', '/stuck');
  expect(await opened.page.locator('tbody tr').count()).toBeGreaterThan(0);
  expect(await opened.page.locator('main button, main input').count()).toBe(0);
});

test('approves a canary, and then updates the page automatically', async () => {
  const { lines, jobId } = await putCanary();
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all', `/jobs/${jobId}`);
  expect(await page.textContent('#decision')).toContain('The canary is complete');
  await page.fill('#cancel-reason', 'typed already');
  await page.waitForResponse((answer) => answer.url().includes(`/jobs/${jobId}/progress`));
  expect(await page.inputValue('#cancel-reason')).toBe('typed already');
  expect(await seriousFindings(page)).toEqual([]);
  await page.fill('#continue-reason', 'The figures are good');
  await page.click('text=Approve the canary');
  await page.waitForSelector('.flash >> text=The job was resumed.');
  // The part with the progress refreshes automatically and removes the buttons.
  await page.waitForSelector(`#progress .bar[aria-label^="${lines} succeeded"]`);
  await page.waitForSelector('#actions form', { state: 'detached' });
  expect(await page.locator('#decision form').count()).toBe(0);
  expect(await page.textContent('main')).toContain('COMPLETED');
  expect(opened.complaints).toEqual([]);
});

/** A job with a completed canary. */
async function putCanary(): Promise<{ lines: number; jobId: string }> {
  const lines = Array.from({ length: 5 }, (_, index) =>
    domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: `CANARY-${index}` }, index),
  );
  const jobId = await putJob(service.database, { goal: 'VALIDATE', lines, options: { canary: 2 } });
  await startJob(service.gateway, jobId);
  await untilJob(service.database, jobId, ({ pausedBecause }) => pausedBecause === 'canary');
  return { lines: lines.length, jobId };
}

test('finds an account by its PRM, with its pinned note at the top until unpin_at', async () => {
  const sequence = 61;
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'FOUND-1' }, sequence);
  expect((await stage(account)).status).toBe(201);
  expect((await create('FOUND-1')).status).toBe(201);
  const note = { body: 'The dog bites.', is_pinned: true, unpin_at: new Date(Date.now() + 3_600_000).toISOString() };
  const ofAccount = { import_supplier: 'SUPPLIER_FR', external_account_number: 'FOUND-1' };
  expect((await post('notes/create/')({ ...ofAccount, notes: [note] })).status).toBe(201);
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'read', '/find');
  await page.fill('main input[name=q]', meterPointNumber(2, sequence));
  await page.click('main button');
  await page.click('main a:has-text("FOUND-1")');
  const isOnTop = async () => {
    const main = (await page.textContent('main'))!;
    return main.includes('The dog bites.') && main.indexOf('The dog bites.') < main.indexOf('Documents and notes');
  };
  expect(await isOnTop()).toBe(true);
  await service.database.pool.query(`update note set unpin_at = now() where body = 'The dog bites.'`);
  await page.reload();
  expect(await isOnTop()).toBe(false);
  await page.click('text=Documents and notes');
  expect(await page.textContent('main')).toContain('The dog bites.');
  expect(opened.complaints).toEqual([]);
});

// All pages of the menu; each is loaded once for all checks.
test('has no serious accessibility fault in light and dark mode and on a phone', async () => {
  const opened = await browser.page();
  const { page } = opened;
  const look = async (path: string) => {
    await page.goto(site.url + path);
    const light = await seriousFindings(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await seriousFindings(page, { onlyColours: true });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    const phone = await seriousFindings(page);
    await page.setViewportSize(DESK);
    const found = { path, light, dark, phone, overflowing: await overflowingElements(page) };
    expect(found).toEqual({ path, light: [], dark: [], phone: [], overflowing: [] });
  };
  await look('/sign-in');
  await signInByKey(opened, 'all', '/stuck');
  const links = await page.locator('.side a, .tabs a').all();
  const paths = await Promise.all(links.map(async (link) => (await link.getAttribute('href'))!));
  expect(paths).toContain('/stuck');
  for (const path of [...paths, '/nowhere']) await look(path);
});

test('opens the menu as a drawer on a phone, also without scripts, and keeps the overview on one screen', async () => {
  const { page, complaints } = await browser.page();
  await signInByKey({ page, complaints }, 'all', '/overview');
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(900);
  const cookies = await page.context().cookies();
  const context = await page.context().browser()!.newContext({ javaScriptEnabled: false, viewport: PHONE });
  await context.addCookies(cookies);
  const phone = await context.newPage();
  await phone.goto(`${site.url}/overview`);
  expect(await phone.locator('#menu').isVisible()).toBe(false);
  await phone.click('text=Menu');
  await phone.click('#menu >> text=Waves');
  expect(phone.url()).toBe(`${site.url}/waves`);
  await phone.fill('#search', 'A-1');
  await phone.press('#search', 'Enter');
  expect(phone.url()).toBe(`${site.url}/find?q=A-1`);
  await context.close();
  expect(complaints).toEqual([]);
});

test('goes everywhere by keys, which can be switched off', async () => {
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all', '/stuck?cause=market_message_unknown_account');
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.id')).toBe('search');
  await page.evaluate('document.activeElement.blur()');
  do await page.keyboard.press('j');
  while ((await page.locator('tr:focus input[type=checkbox]').count()) === 0);
  await page.keyboard.press('x');
  expect(await page.locator('tr:focus input:checked').count()).toBe(1);
  await page.keyboard.press('?');
  expect(await page.locator('#keys').isVisible()).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await page.waitForURL(`${site.url}/waves`);
  await page.keyboard.press('Control+k');
  await page.fill('#palette input[type=search]', 'concurr');
  await page.waitForSelector('#palette-results a:has-text("Change the concurrency limit")');
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${site.url}/settings/limit`);
  await page.keyboard.press('?');
  await page.uncheck('#keys-on');
  await page.keyboard.press('Escape');
  await page.reload();
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.id')).not.toBe('search');
  expect(opened.complaints).toEqual([]);
});

test('previews and sets the speed of a network operator, and calls respect it', async () => {
  await service.setSpeed('enedis', 0);
  const batch = await service.populate(points(40, 71_000_000_000_000));
  const calls = service.enedis.calls.length;
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all', '/supply-points');
  expect(await page.textContent('article:has-text("Enedis")')).toContain('40 pending, no estimated end');
  await page.click('article:has-text("Enedis") >> text=Speed');
  await page.fill('#ask-requests_per_second', '900');
  await page.fill('#ask-requests_per_hour', '3240000');
  await page.click('text=Preview the effect');
  expect(await page.textContent('table')).toContain('End of a million lookups that start now');
  expect(await seriousFindings(page)).toEqual([]);
  expect(service.enedis.calls.length).toBe(calls);
  await page.fill('#reason', 'told by phone');
  await page.click('text=Set this speed');
  expect(await page.textContent('.flash')).toContain('The speed was set');
  expect(sums(await service.ended(batch))).toMatchObject({ imported: 40 });
  expect(service.enedis.calls.length).toBe(calls + 40);
  for (const path of [`batches/${batch}`, 'deferred/enedis', 'points/enedis/71000000000000']) {
    await page.goto(`${site.url}/supply-points/${path}`);
    expect({ path, found: await seriousFindings(page) }).toEqual({ path, found: [] });
  }
  expect(opened.complaints).toEqual([]);
});

test("retries stuck work in Temporal's web UI as the guide describes", async () => {
  const external = 'REFUSED-1';
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all');
  const { pool } = service.database;
  await pool.query(
    `alter table account add constraint account_of_test check (external_account_number <> '${external}')`,
  );
  await stage(domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, 11));
  // On a slow machine the request times out before the account is quarantined.
  expect(['account_quarantined', 'creation_pending']).toContain((await create(external)).body.code);
  const run = page.locator('main a', { hasText: `create-account/SUPPLIER_FR/${external}` });
  await until(async () => {
    await page.goto(`${site.url}/accounts/SUPPLIER_FR/${external}`);
    return (await page.locator('main', { hasText: 'database_refuses_data' }).count()) > 0 && (await run.count()) > 0;
  });
  const address = (await run.getAttribute('href'))!;
  const failure = await resetInWebUi(page, address, () =>
    pool.query('alter table account drop constraint account_of_test'),
  );
  expect(failure).toContain('account_of_test');
  await until(async () => {
    await page.goto(`${site.url}/accounts/SUPPLIER_FR/${external}`);
    return (await page.locator('main .badge', { hasText: /^created$/ }).count()) > 0;
  });
});

test('continues a consistency check automatically, page by page, and repairs the selected kinds', async () => {
  const { pool } = service.database;
  await pool.query(`insert into work_item (workflow_id, kind, input, start_at, created_at)
    values ('create-account/SUPPLIER_FR/FOUND-1', 'create-account', '{"importSupplier": "SUPPLIER_FR", "externalAccountNumber": "FOUND-1"}', now() + interval '1 hour', now() - interval '1 hour')`);
  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all', '/stuck');
  await page.click('text=Consistency check');
  await page.click('text=Start a check');
  await page.waitForSelector('text=All findings');
  expect(await page.textContent('main')).toContain('create-account/SUPPLIER_FR/FOUND-1');
  expect(await seriousFindings(page)).toEqual([]);
  await page.check('input[value=work_item_without_run]');
  await page.check('input[name=confirmed]');
  await page.click('text=Repair the selected kinds');
  await page.waitForSelector('text=1 finding was repaired');
  await page.click('text=Back to the last check');
  expect(await page.textContent('main')).toContain('work item without a run');
  expect(opened.complaints).toEqual([]);
});

/** Attaches all kinds of data to an account, with markup in every text. */
async function attachHostile(external: string): Promise<void> {
  const calls = attachmentCalls(service, token);
  const documents = [{ document_path: 'letters/1.pdf' }];
  const bill = {
    statement_id: 'BILL',
    number: 'N-1',
    issued_date: '2024-08-02',
    gross_amount: '12.50',
    bill_period_from_date: '2024-07-01',
    bill_period_to_date: '2024-07-31',
  };
  const notes = [{ body: 'The dog bites.', is_pinned: true, document_paths: documents }];
  await sendHostile({ notes }, (body) => calls.notes(external, body.notes));
  await sendHostile({ transactions: [payment('PAID-1')] }, (body) => calls.transactions(external, body.transactions));
  const statements = [{ ...bill, statement_path: 'bills/1.pdf' }];
  await sendHostile({ statements }, (body) => calls.statements(external, body.statements));
}

/** A certificate with a difference in the account, and an endpoint for its events. */
async function compareAndDeliver(): Promise<void> {
  const operate = (method: string, path: string, body?: object) =>
    service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, ...(body && { body }) });
  await service.database.pool.query(
    `update account set sales_channel = 'CHANGED' where external_account_number like 'H-%'`,
  );
  const started = await operate('POST', 'reconciliations/', { import_supplier: 'SUPPLIER_FR' });
  expect(started.status).toBe(201);
  const id = started.body.reconciliation_id as string;
  await until(async () => (await operate('GET', `reconciliations/${id}/`)).body.status === 'COMPLETED');
  const url = `https://receiver.example/?${HOSTILE_MARKUP}`;
  const reason = HOSTILE_MARKUP;
  expect((await operate('POST', 'event-endpoints/', { import_supplier: 'SUPPLIER_FR', url, reason })).status).toBe(201);
}

/** Downloads, which are not pages. */
const FILE = /\.(?:csv|ndjson)(?:\?|$)/;

/** Pages of single items; the pages of the menu have their own test. */
const ONE_THING = /^\/(?:accounts|businesses|supply-points|suppliers|parties|jobs|certificates|events|audit)\/[^?]*$/;

/** Distinguishes pages by path and names of parameters, because a page with two filters shows nothing new. */
function asksOf(path: string): string[] {
  const { pathname, searchParams } = new URL(path, site.url);
  return [pathname, ...[...searchParams.keys()].map((key) => `${pathname} ${key}`)];
}

test('escapes markup in all texts of an account and of its business on every page', async () => {
  const external = `H-${HOSTILE_MARKUP}`;
  await sendHostile(businessRequest({}, 41), post('business/'));
  const account = businessAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, 41);
  const { count } = await sendHostile(account, stage);
  expect(count).toBeGreaterThan(20);
  expect((await create(external)).status).toBe(201);
  await attachHostile(external);
  await compareAndDeliver();

  const opened = await browser.page();
  const { page } = opened;
  await signInByKey(opened, 'all');
  const first = `/accounts/SUPPLIER_FR/${encodeURIComponent(external)}`;
  await page.goto(site.url + first);
  expect((await page.textContent('main'))!.split(HOSTILE_MARKUP).length).toBeGreaterThan(20);
  const [seen, lookedAt] = [new Set(await furtherEntries(service.database.pool)), new Set<string>()];
  const left = [first, `/find?q=${encodeURIComponent(HOSTILE_MARKUP)}`, '/'];
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    const asks = asksOf(path);
    if (asks.every((one) => seen.has(one))) continue;
    for (const one of asks) seen.add(one);
    const status = (await page.goto(site.url + path))?.status();
    const [harm, title] = [await page.locator(HARM).count(), await page.title()];
    // One page of a kind is enough, unless a page contains elements that no earlier one had.
    const parts = ONE_THING.test(path) ? await partsOf(page) : [];
    const found = parts.every((part) => lookedAt.has(part)) ? [] : await seriousFindings(page);
    for (const part of parts) lookedAt.add(part);
    expect({ path, status, harm, isHarmed: title.startsWith('harmed'), found }).toEqual({
      path,
      status: 200,
      harm: 0,
      isHarmed: false,
      found: [],
    });
    const links = await page
      .locator('main a:not([download]), header a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    left.push(...links.filter((link) => link.startsWith('/') && !FILE.test(link)));
  }
  expect(lookedAt.size).toBeGreaterThan(20);
  expect(opened.complaints).toEqual([]);
});
