import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { isForSuppliers } from '../../src/support-site/frame/supplier-pages.ts';
import { sitePages } from '../../src/support-site/index.ts';
import { overflowingElements, seriousFindings, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site } from '../support/support-site.ts';
import { supplierWithEverything, type OwnThings } from '../support/two-suppliers.ts';

// The pages of people of import suppliers in a real browser.

let service: Service;
let site: Site;
let browser: TestBrowser;
let acme: OwnThings;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  browser = await startBrowser();
  acme = await supplierWithEverything(service, 'ACME', 1);
}, 120_000);
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
  await service?.stop();
});

const pages = sitePages.filter((one) => one.method === 'GET' && !one.isPolled && isForSuppliers(one));
/** Ends of paths of downloads. */
const DOWNLOADS = /\.csv$|\/file$|\/results\/|\/kept$|\/businesses$|\/balances$/;

test.each(['en', 'fr'])(
  'shows people of suppliers their pages in %s at all sizes without serious accessibility faults',
  async (language) => {
    const { page, complaints } = await browser.page();
    await page.setExtraHTTPHeaders({ 'accept-language': language });
    await page.goto(site.url);
    await page.fill('#key', acme.key);
    await page.click('main button');
    await page.waitForSelector('.person');
    expect(new URL(page.url()).pathname).toBe('/waves');
    for (const { path } of pages.filter((one) => !DOWNLOADS.test(one.path))) {
      const at = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(acme[name] ?? 'x'));
      await page.goto(site.url + at);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      const light = await seriousFindings(page);
      // Colors do not depend on the language.
      const dark = language === 'en' ? await findingsInDark(page) : [];
      const found = { path, light, dark, overflowing: await overflowingElements(page) };
      expect(found).toEqual({ path, light: [], dark: [], overflowing: [] });
    }
    expect(complaints).toEqual([]);
  },
);

async function findingsInDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const found = await seriousFindings(page, { onlyColours: true });
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
