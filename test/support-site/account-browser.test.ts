import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { overflowingElements, seriousFindings, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site } from '../support/support-site.ts';

// The pages of an account, of suppliers and of parties in a real browser.

const ACCOUNT = '/accounts/SUPPLIER_FR/HOME-1';
const PATHS = [
  ...['', '/supply', '/money', '/documents', '/history', '/revisions/1'].map((tab) => ACCOUNT + tab),
  ...['/accounts/SUPPLIER_FR/HOME-3', '/audit?reads=yes', '/suppliers', '/suppliers/SUPPLIER_FR', '/parties/enedis'],
];

let service: Service;
let site: Site;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  browser = await startBrowser();
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const send = async (path: string, body: object) => {
    const { status } = await service.call('POST', `/v1/data-import/${path}/`, { token, body });
    expect(status).toBe(201);
  };
  // The first two have the same supply points.
  for (const [place, external] of ['HOME-1', 'HOME-2', 'HOME-3'].entries()) {
    const key = { import_supplier: 'SUPPLIER_FR', external_account_number: external };
    await send('account-import-process/create-or-update', domesticAccount(key, place === 1 ? 1 : place + 1));
    if (external === 'HOME-3') continue;
    const creation = { import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' };
    await send('account-import-process/process', { ...creation, external_account_number: external });
  }
  const notes = [{ body: 'The dog bites.', is_pinned: true, unpin_at: '2035-01-01T00:00:00Z' }];
  await send('notes/create', { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-1', notes });
}, 120_000);
afterAll(async () => {
  await browser.stop();
  await site.stop();
  await service.stop();
});

test('shows accounts, suppliers and parties without overflow and serious accessibility faults', async () => {
  const { page, complaints } = await browser.page();
  await page.goto(`${site.url}/audit`);
  await page.fill('#key', await site.key('all'));
  await page.click('main button');
  const found: string[] = [];
  for (const path of PATHS) {
    await page.goto(site.url + path);
    found.push(...(await overflowingElements(page)).map((one) => `${path} ${one}`));
    found.push(...(await seriousFindings(page)));
    await page.emulateMedia({ colorScheme: 'dark' });
    found.push(...(await seriousFindings(page, { onlyColours: true })));
    await page.emulateMedia({ colorScheme: 'light' });
  }
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
}, 120_000);

test('asks for the reason of an action in a dialog, and switches tabs, without scripts', async () => {
  const { page: first } = await browser.page();
  const context = await first.context().browser()!.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(site.url + ACCOUNT);
  await page.fill('#key', await site.key('all'));
  await page.click('main button');
  await page.goto(site.url + ACCOUNT);
  await page.click('.actions-menu > summary');
  await page.click('button:has-text("Set the switch status")');
  await page.selectOption('#switch-status', 'COMPLETED');
  await page.fill('#switch-reason', 'agreed by phone');
  await page.click('#dialog-switch button:has-text("Set the status")');
  await page.waitForSelector('text=The change was saved.');
  await page.click('.tabs a:has-text("History")');
  expect(await page.textContent('.timeline')).toMatch(/set the switch of the account.*agreed by phone/s);
  await context.close();
});
