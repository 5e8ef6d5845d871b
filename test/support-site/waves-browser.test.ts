import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DESK, PHONE, seriousFindings, startBrowser, type OpenPage, type TestBrowser } from '../support/browser.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site } from '../support/support-site.ts';
import { waveClient, type WaveClient } from '../support/waves.ts';

// Waves in a real browser.

let service: Service;
let site: Site;
let browser: TestBrowser;
let client: WaveClient;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  browser = await startBrowser();
  client = await waveClient(service);
}, 120_000);
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
  await service?.stop();
});

async function signIn(page: Page, scope: 'all' | 'approve', path: string): Promise<void> {
  await page.goto(`${site.url}${path}`);
  await page.fill('#key', await site.key(scope));
  await page.click('main button');
  await page.waitForSelector('.person');
}

/** Opens an action, fills its reason and sends it. @returns the message of the next page */
async function take(page: Page, step: string, reason: string): Promise<string | null> {
  await page.click(`#action-${step} summary`);
  await page.fill(`#${step}-reason`, reason);
  await page.click(`#action-${step} button`);
  return page.textContent('.flash[role=status]');
}

/** A browser window in which scripts do not run. */
async function withoutScripts({ page }: OpenPage): Promise<Page> {
  const context = await page.context().browser()!.newContext({ viewport: DESK, javaScriptEnabled: false });
  return context.newPage();
}

/** Serious accessibility faults in all modes, and whether the page is wider than a phone. */
async function lookAt(page: Page) {
  const light = await seriousFindings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await seriousFindings(page, { onlyColours: true });
  await page.emulateMedia({ colorScheme: 'light' });
  const tooWide: number[] = [];
  for (const width of [PHONE.width, 1000, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) tooWide.push(width);
  }
  await page.setViewportSize(PHONE);
  const phone = await seriousFindings(page);
  await page.setViewportSize(DESK);
  return { light, dark, phone, tooWide };
}
const CLEAN = { light: [], dark: [], phone: [], tooWide: [] };

test('one person asks for approval, and only another one approves, also without scripts', async () => {
  const day = (on: number) => new Date(Date.now() + on * 86_400_000).toISOString();
  const plan = { create_from: day(5), create_until: day(5.3) };
  const wave = await client.open({ name: 'Brittany 3', plan, options: { requires_approval: true, canary: 1 } });
  await client.stage(wave, ['S-1', 'S-2']);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  const opened = await browser.page();
  const { page } = opened;
  await signIn(page, 'all', '/waves');
  expect(await lookAt(page)).toEqual(CLEAN);
  await page.click('.board a:has-text("Brittany 3")');
  expect(page.url()).toBe(`${site.url}/waves/${wave}`);
  expect(await take(page, 'request-approval', 'Rehearsed without failures.')).toContain('Another person has to decide');
  expect(await page.textContent('#actions')).toContain('You asked for approval, so another person has to decide.');
  expect(await page.locator('#action-approve, #action-decline').count()).toBe(0);

  const second = await withoutScripts(opened);
  await signIn(second, 'approve', `/waves/${wave}`);
  expect(await second.textContent('main')).toContain('Rehearsed without failures.');
  expect(await second.locator('#approve-reason').isVisible()).toBe(false);
  expect(await take(second, 'approve', 'The rehearsal is complete.')).toBe('The request is approved.');

  // The page of the person who asked updates automatically, and keeps what is being typed.
  await page.waitForSelector('#progress tr:has-text("Approved") .badge-good');
  await page.waitForSelector('#action-create');
  await page.click('#action-create summary');
  await page.fill('#create-reason', 'typed already');
  await page.waitForResponse((answer) => answer.url().includes(`/waves/${wave}/progress`));
  expect(await page.inputValue('#create-reason')).toBe('typed already');
  expect(await lookAt(page)).toEqual(CLEAN);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.click('#action-create button');
  await page.waitForSelector('.flash >> text=The creation was requested.');
  expect(await page.textContent('main')).toContain('SCHEDULED');
  expect(opened.complaints).toEqual([]);
});

test('a person withdraws a wave after the preview, and follows its progress to the receipt', async () => {
  const wave = await client.open({ name: 'Brittany 4' });
  await client.stage(wave, ['S-3', 'S-4']);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  await client.post(wave, 'create');
  await client.untilGate(wave, 'created', 'passed');
  const { page, complaints } = await browser.page();
  await signIn(page, 'all', `/waves/${wave}`);
  await page.click('#actions a:has-text("Withdraw the accounts of this wave")');
  // The preview arrives after the page.
  await page.waitForSelector('main >> text=Accounts that can be withdrawn');
  expect(await lookAt(page)).toEqual(CLEAN);
  await page.fill('main input[name=reason]', 'The file was of the wrong month.');
  page.on('dialog', (dialog) => void dialog.accept());
  await page.click('main button:has-text("Withdraw")');
  await page.waitForSelector('#withdrawal >> text=COMPLETED');
  expect(await page.textContent('#withdrawal')).toContain('account_supply_point');
  await page.click('#withdrawal a:has-text("waves/")');
  await page.waitForSelector('#progress a:has-text("Receipt")');
  expect(await lookAt(page)).toEqual(CLEAN);
  expect(complaints).toEqual([]);
});
