import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { domesticAccount } from '../support/account-payload.ts';
import { DESK, overflowingElements, seriousFindings, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startService, type Service } from '../support/harness.ts';
import { jobClient, type JobClient } from '../support/import-jobs.ts';
import { untilJob } from '../support/run-import-job.ts';
import { startSite, type Site } from '../support/support-site.ts';

// Jobs in a real browser: uploads, decisions and causes.

let service: Service;
let site: Site;
let browser: TestBrowser;
let client: JobClient;
let folder: string;
/** On disk, because the driver sends the content of other files as text. */
let largeFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gangway-upload-'));
  largeFile = join(folder, 'accounts.ndjson');
  await writeFile(largeFile, LARGE);
  service = await startService({ worker: true });
  site = await startSite(service);
  browser = await startBrowser();
  client = await jobClient(service);
}, 120_000);
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function signIn(page: Page, path: string): Promise<void> {
  await page.goto(`${site.url}${path}`);
  await page.fill('#key', await site.key());
  await page.click('main button');
  await page.waitForSelector('.person');
}

/** More than two parts of a script. */
const LARGE = Array.from({ length: 17_000 }, (_, index) => `{"n":${index},"pad":"${'x'.repeat(1_000)}"}\n`).join('');
async function partsOf(jobId: string): Promise<{ lines: number; bytes: number }[]> {
  const { rows } = await service.database.pool.query(
    'select lines, bytes::integer as bytes from import_job_part where job_id = $1 order by part',
    [jobId],
  );
  return rows;
}

/** The numbers of the parts that a page sends. */
function sentParts(page: Page): number[] {
  const sent: number[] = [];
  page.on('request', (request) => {
    const [, part] = /\/parts\/(\d+)$/.exec(request.url()) ?? [];
    if (part !== undefined) sent.push(Number(part));
  });
  return sent;
}

test('opens a job, uploads a file in parts, continues after an interruption, and starts the job', async () => {
  const { page, complaints } = await browser.page();
  await signIn(page, '/jobs');
  await page.click('main a:has-text("New job")');
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflowingElements(page)).toEqual([]);
  await page.selectOption('#goal', 'VALIDATE');
  await page.fill('#name', 'By hand');
  await page.click('main button:has-text("Open the job")');
  await page.waitForSelector('#upload');
  const jobId = page.url().split('/').at(-1)!;
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflowingElements(page)).toEqual([]);

  const sent = sentParts(page);
  const isSecond = /\/parts\/2$/;
  await page.route(isSecond, (route) =>
    route.fulfill({ status: 400, body: '<main><h1>No</h1><p>Not now.</p></main>' }),
  );
  await page.setInputFiles('#file', largeFile);
  await page.click('#upload button:has-text("Upload")');
  await page.waitForSelector('#upload [role=status] >> text=Not now.');
  expect(await page.locator('#upload progress').isVisible()).toBe(false);
  await page.unroute(isSecond);
  // After a reload the person chooses the file again, and the first part is not sent again.
  await page.reload();
  await page.setInputFiles('#file', largeFile);
  await page.click('#upload button:has-text("Upload")');
  await page.waitForSelector('#upload strong >> text=17,000 records');
  expect(sent).toEqual([1, 2, 2, 3]);
  const parts = await partsOf(jobId);
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(LARGE.length);
  expect(parts.every(({ bytes }) => bytes < 9_000_000)).toBe(true);

  // A second file, compressed and dropped, comes after the first one.
  await page.evaluate(
    ([content, name]) => {
      const { document, DataTransfer, File, DragEvent, Uint8Array } = globalThis as never as BrowserGlobals;
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(content)], name));
      document.querySelector('#upload form').dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    },
    [[...gzipSync('{"n":1}\n{"n":2}\n')], 'more.ndjson.gz'] as const,
  );
  await page.waitForSelector('#upload strong >> text=17,002 records');
  expect((await partsOf(jobId)).at(-1)).toEqual({ lines: 2, bytes: 16 });
  await page.click('#upload button:has-text("Start the job")');
  await page.waitForSelector('.flash >> text=The job has been started.');
  expect(await page.locator('#upload').count()).toBe(0);
  expect(complaints.filter((line) => !line.includes('/parts/2'))).toEqual([]);
}, 120_000);

interface BrowserGlobals {
  document: { querySelector(selector: string): { dispatchEvent(event: unknown): void } };
  DataTransfer: new () => { items: { add(file: unknown): void } };
  File: new (parts: unknown[], name: string) => unknown;
  DragEvent: new (type: string, init: object) => unknown;
  Uint8Array: typeof Uint8Array;
}

test('says that a file is empty, and takes another one', async () => {
  const { page } = await browser.page();
  await signIn(page, `/jobs/${await client.open()}`);
  await page.setInputFiles('#file', {
    name: 'empty.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.alloc(0),
  });
  await page.click('#upload button:has-text("Upload")');
  await page.waitForSelector('#upload .flash-problem[role=status] >> text=The file is empty');
  expect(await page.isVisible('#upload progress')).toBe(false);
  const buffer = Buffer.from('{"other":1}\n');
  await page.setInputFiles('#file', { name: 'one.ndjson', mimeType: 'application/x-ndjson', buffer });
  await page.click('#upload button:has-text("Upload")');
  await page.waitForSelector('#upload >> text=1 record');
});

test('stops before a file replaces parts of another one', async () => {
  const jobId = await client.open();
  await client.put(jobId, 1, LARGE.slice(0, LARGE.lastIndexOf('\n', 8 * 1_048_576 - 1) + 1));
  await client.put(jobId, 2, '{"other":1}\n');
  const { page } = await browser.page();
  await signIn(page, `/jobs/${jobId}`);
  const sent = sentParts(page);
  await page.setInputFiles('#file', largeFile);
  await page.click('#upload button:has-text("Upload")');
  await page.waitForSelector('#upload [role=status] >> text=The job already has other records');
  expect(sent).toEqual([]);
});

test('uploads one file without scripts', async () => {
  const jobId = await client.open();
  const context = await (
    await browser.page()
  ).page
    .context()
    .browser()!
    .newContext({ viewport: DESK, javaScriptEnabled: false });
  const page = await context.newPage();
  await signIn(page, `/jobs/${jobId}`);
  await page.setInputFiles('#file', {
    name: 'accounts.ndjson',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('{"a":1}\n{"a":2}\n'),
  });
  await page.click('#upload button:has-text("Upload")');
  expect(await page.textContent('.flash')).toContain('2 records uploaded.');
  expect(await page.textContent('#upload')).toContain('2 records');
  await page.click('#upload button:has-text("Start the job")');
  await untilJob(service.database, jobId);
});

/** The tables of causes that scroll, at each of the widths. */
async function scrollingCauses(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of [360, 1000, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    found.push(
      ...(await page
        .locator('.fits .table')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML))),
    );
  }
  await page.setViewportSize(DESK);
  return found;
}

test('shows a decision and causes that are never cut off, and decides with the expected number', async () => {
  const account = (number: number, more: object = {}) =>
    domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: `B-${number}`, ...more }, number);
  const lines = Array.from({ length: 20 }, (_, index) => account(index, index % 4 === 0 ? { sales_channel: 7 } : {}));
  const upload = async (more: object) => {
    const jobId = await client.open({ operations_team_name: 'Migration', ...more });
    await client.put(jobId, 1, lines.map((line) => JSON.stringify(line)).join('\n'));
    await client.post(jobId, 'start');
    return jobId;
  };
  await untilJob(service.database, await upload({ goal: 'REHEARSE' }));
  const jobId = await upload({ goal: 'CREATE', name: 'Canary', options: { canary: 8 } });
  await untilJob(service.database, jobId, ({ pausedBecause }) => pausedBecause === 'canary');
  const { page, complaints } = await browser.page();
  await signIn(page, `/jobs/${jobId}`);
  await page.waitForSelector('text=Still missing');
  for (const path of [`/jobs/${jobId}`, `/jobs/${jobId}/causes`, '/causes', `/jobs/${jobId}/records/failed`]) {
    await page.goto(`${site.url}${path}`);
    expect({ path, overflow: await overflowingElements(page), scrolling: await scrollingCauses(page) }).toEqual({
      path,
      overflow: [],
      scrolling: [],
    });
    expect({ path, findings: await seriousFindings(page) }).toEqual({ path, findings: [] });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect({ path, findings: await seriousFindings(page, { onlyColours: true }) }).toEqual({ path, findings: [] });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.goto(`${site.url}/jobs/${jobId}`);
  await page.click('summary:has-text("Text for the supplier")');
  expect(await page.inputValue('#supplier-text')).toMatch(/Import job Canary[\s\S]*sales_channel/);
  await page.fill('#continue-expected', '5');
  await page.fill('#continue-reason', 'The supplier knows.');
  await page.click('#decision button:has-text("Approve the canary")');
  await page.waitForSelector('.flash >> text=The job was resumed.');
  await page.waitForSelector('#progress >> text=COMPLETED');
  expect(await page.locator('#decision form').count()).toBe(0);
  expect(complaints).toEqual([]);
}, 60_000);
