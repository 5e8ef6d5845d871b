import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site } from '../support/support-site.ts';

let service: Service;
let site: Site;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  browser = await startBrowser();
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'LIVE-1' });
  await createAccounts(service.database, 'SUPPLIER_FR', [account]);
}, 120_000);
afterAll(async () => {
  await browser.stop();
  await site.stop();
  await service.stop();
});

test('keeps focus and selection when a live part is replaced, and pauses updates', async () => {
  const { page, complaints } = await browser.page();
  await page.goto(`${site.url}/overview`);
  await page.fill('#key', await site.key('all'));
  await page.click('main button');
  await page.waitForSelector('.person');
  const replaced = () =>
    page.evaluate(() => {
      const { document } = globalThis as any;
      return new Promise<void>((resolve) =>
        document.addEventListener('htmx:afterSettle', () => resolve(), { once: true }),
      );
    });
  // The links of a table have no id.
  const link = page.locator('#now td.number a').first();
  await link.focus();
  const href = await link.getAttribute('href');
  await page.evaluate(`document.activeElement.dataset.before = 'yes'`);
  await replaced();
  const focused = await page.evaluate(
    `[document.activeElement.getAttribute('href'), document.activeElement.dataset.before]`,
  );
  expect(focused).toEqual([href, undefined]);

  await page.evaluate(`getSelection().selectAllChildren(document.querySelector('#now h2'))`);
  const selected = await page.evaluate('String(getSelection())');
  expect(selected).not.toBe('');
  await page.evaluate(
    `new Promise((resolve) => document.addEventListener('htmx:afterRequest', () => resolve(), { once: true }))`,
  );
  expect(await page.evaluate('String(getSelection())')).toBe(selected);
  await page.evaluate('getSelection().removeAllRanges()');
  await replaced();

  await page.click('text=Pause updates');
  const isStopped = `new Promise((resolve) => document.addEventListener('htmx:beforeRequest', (event) => resolve(event.defaultPrevented), { once: true }))`;
  expect(await page.evaluate(isStopped)).toBe(true);
  await page.goto(`${site.url}/stuck`);
  expect(await page.evaluate(isStopped)).toBe(true);
  await page.click('text=Resume updates');
  expect(await page.evaluate(isStopped)).toBe(false);
  await page.goto(`${site.url}/audit`);
  expect(await page.locator('#pause-updates').isVisible()).toBe(false);
  expect(complaints).toEqual([]);
});
