import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { overflowingElements, PHONE, seriousFindings, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site } from '../support/support-site.ts';

// Lists in a real browser: the selection across pages, and their geometry.

let service: Service;
let site: Site;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startService();
  site = await startSite(service);
  browser = await startBrowser();
  await service.database.pool.query(
    `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, effect)
     select 'M-' || lpad(g::text, 3, '0'), 'message', 'SUPPLIER_FR', 'A-' || g, 'ACCEPTED', now(), 'unknown-account' from generate_series(1, 60) g`,
  );
}, 60_000);
afterAll(async () => {
  await browser.stop();
  await site.stop();
  await service.stop();
});

async function signedIn(path: string) {
  const opened = await browser.page();
  const { page } = opened;
  await page.goto(site.url + path);
  await page.fill('#key', await site.key('all'));
  await page.click('main button');
  await page.waitForSelector('.list');
  return opened;
}

test('keeps selected rows on other pages, and sends all of them', async () => {
  const { page, complaints } = await signedIn('/messages?kind=unknown-account');
  const shown = () => page.textContent('[data-marked]');
  await page.check('input[value="M-001"]');
  await page.check('input[value="M-002"]');
  expect(await shown()).toBe('2 selected');
  await page.click('text=Next page');
  await page.waitForSelector('input[value="M-051"]');
  await page.check('input[value="M-060"]');
  expect(await shown()).toBe('3 selected, 2 of them on other pages');
  await page.click('text=First page');
  await page.waitForSelector('input[value="M-001"]:checked');
  await page.uncheck('input[value="M-002"]');
  page.once('dialog', (dialog) => void dialog.accept());
  await page.fill('.marks input[name=reason]', 'sent twice');
  await page.click('text=Dismiss the selected messages');
  await page.waitForSelector('.flash >> text=2 dismissed.');
  expect(await shown()).toBe('0 selected');
  const { rows } = await service.database.pool.query(
    `select message_id from market_message where effect = 'dismissed' order by 1`,
  );
  expect(rows).toEqual([{ message_id: 'M-001' }, { message_id: 'M-060' }]);
  await page.click('text=Dismiss all 58 that match');
  expect(await page.textContent('main')).toContain('58');
  expect(page.url()).toContain('/bulk-actions/new?action=dismiss&cause=market_message_unknown_account');
  expect(complaints).toEqual([]);
});

test('folds the filters on a phone until one is set, and always shows them in a wider window', async () => {
  const { page, complaints } = await signedIn('/messages');
  const [summary, field] = [page.locator('.filtering > summary'), page.locator('#filter-kind')];
  await page.setViewportSize(PHONE);
  expect(await field.isVisible()).toBe(false);
  await summary.click();
  await field.selectOption('unknown-account');
  await page.click('main button:has-text("Show")');
  await page.waitForURL(/kind=unknown-account/);
  expect(await field.isVisible()).toBe(true);
  await page.click('text=Remove filters');
  await page.waitForURL(/messages$/);
  expect(await field.isVisible()).toBe(false);
  await page.setViewportSize({ width: 700, height: 900 });
  expect(await field.isVisible()).toBe(true);
  expect(await summary.isVisible()).toBe(false);
  expect(complaints).toEqual([]);
});

test('keeps the head of a list visible on a desk, and shows rows of a few lines on a phone', async () => {
  const { page, complaints } = await signedIn('/messages');
  await page.setViewportSize({ width: 1440, height: 900 });
  const heightOf = () =>
    page
      .locator('.list tbody tr')
      .nth(20)
      .evaluate((row) => row.getBoundingClientRect().height);
  await page.locator('.list tbody tr').nth(40).scrollIntoViewIfNeeded();
  const head = await page.locator('.list thead th').nth(1).boundingBox();
  expect(head!.y).toBeGreaterThan(40);
  expect(head!.y).toBeLessThan(60);
  expect(await overflowingElements(page)).toEqual([]);
  await page.setViewportSize(PHONE);
  expect(await heightOf()).toBeLessThan(170);
  expect(await seriousFindings(page)).toEqual([]);
  await page.goto(`${site.url}/accounts`);
  expect(await overflowingElements(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
