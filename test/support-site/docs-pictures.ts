import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { call, obtainToken } from '../../src/demo/demo-client.ts';
import { runDemo } from '../../src/demo/run-demo.ts';
import { endAllNow } from '../../src/local-stack/running-process.ts';
import { startUp } from '../../src/local-stack/start-platform.ts';
import { listenForStop, untilStopped } from '../../src/local-stack/stop-signals.ts';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { readArguments } from '../../src/platform/read-arguments.ts';
import { sitePages } from '../../src/support-site/index.ts';
import { startBrowser } from '../support/browser.ts';
import { indexedPng } from '../support/indexed-png.ts';

const FOLDER = join(import.meta.dirname, '../../docs/operators/pictures');
/** The window of a desktop, at four fifths of its size: a picture is 1,000 pixels wide. */
const SCREEN = { viewport: { width: 1250, height: 900 }, deviceScaleFactor: 0.8 };
const BYTES_MAX = 150_000;
/** Widths of the pictures of every page. */
const WIDTHS = [1440, 360];

const PAGES: readonly { name: string; path: string }[] = [
  { name: 'overview', path: '/overview' },
  { name: 'stuck', path: '/stuck' },
  { name: 'accounts', path: '/accounts' },
  { name: 'jobs', path: '/jobs' },
  { name: 'supply-points', path: '/supply-points' },
];

const names = [...PAGES.map(({ name }) => name), 'account', 'wave'];
/** The option for pictures of every page. */
const EVERY = '--every=';
const [every] = process.argv.filter((word) => word.startsWith(EVERY));
const wanted = new Set(
  readArguments({
    usage: `npm run docs:pictures [-- <name> ...] [-- ${EVERY}<folder>]`,
    help: `Takes the pictures of docs/operators/support-site.md anew, of the real site over the data of the demo; all, or those that are named: ${names.join(', ')}. With ${EVERY}<folder> it writes pictures of every page at 1440 and 360 pixels into a folder instead.`,
    words: { least: 0, most: names.length },
    options: [EVERY],
  }),
);
const unknown = [...wanted].find((name) => !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no picture "${unknown}". Those there are: ${names.join(', ')}\n`);
  process.exit(2);
}

const stopping = listenForStop(() => process.stderr.write('Stopping; a second signal forces it\n'));
process.on('exit', endAllNow);
const dataDir = await mkdtemp(join(tmpdir(), 'gangway-pictures-'));
// Postgres runs as a user of its own under root and must be able to enter.
await chmod(dataDir, 0o755);
const environment = { LOG_LEVEL: 'warn', ...process.env, HTTP_PORT: '0', SUPPORT_SITE_PORT: '0' };
const settings = readSettings(environment);
const log = createLog({ level: settings.LOG_LEVEL, process: 'pictures' });
const platform = await startUp({ ...{ settings, log, dataDir, environment }, signal: stopping });
const operatorKey = (await readFile(platform.operatorKeyFile, 'utf8')).trim();
const browser = await startBrowser();
let isThrough = false;
try {
  await Promise.race([takeAll(), untilStopped(stopping)]);
  isThrough = !stopping.aborted;
} finally {
  await browser.stop();
  await platform.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit(isThrough ? 0 : 1);

async function takeAll(): Promise<void> {
  const told: string[] = [];
  await runDemo({ http: platform.http, operatorKey, print: (line) => void told.push(line), isColored: false });
  await addStuckMessages();
  await mkdir(FOLDER, { recursive: true });
  const { page: empty } = await browser.page();
  const page = await (await empty.context().browser()!.newContext(SCREEN)).newPage();
  await signIn(page);
  if (every !== undefined) return takeEvery(page, every.slice(EVERY.length));
  for (const { name, path } of PAGES) await take(page, name, path);
  await take(page, 'account', await accountOf(told));
  await take(page, 'wave', await waveOfDemo());
}

async function signIn(page: Page): Promise<void> {
  await page.goto(platform.supportSite);
  await page.fill('#key', operatorKey);
  await page.click('main button');
  await page.waitForSelector('.person');
}

async function take(page: Page, name: string, path: string): Promise<void> {
  if (wanted.size > 0 && !wanted.has(name)) return;
  const answer = await page.goto(platform.supportSite + path);
  if (answer?.status() !== 200) throw new Error(`${path} is answered with ${answer?.status()}.`);
  const file = join(FOLDER, `${name}.png`);
  const picture = indexedPng(await page.screenshot());
  if (picture.length > BYTES_MAX) throw new Error(`${file} has ${picture.length} bytes; the limit is ${BYTES_MAX}.`);
  await writeFile(file, picture);
  process.stdout.write(`${name}.png ${picture.length} bytes\n`);
}

/** Takes every page that links lead to: one of each kind, as the list of pages names them. */
async function takeEvery(page: Page, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const kinds = sitePages.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const kindOf = (path: string) =>
    kinds.find((kind) => kind === path) ??
    kinds.find((kind) => new RegExp(`^${kind.replaceAll(/:\w+/g, '[^/]+')}$`).test(path));
  const taken = new Set<string>();
  const left = ['/overview'];
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    const kind = kindOf(new URL(path, platform.supportSite).pathname);
    if (kind === undefined || taken.has(kind) || /\.(?:csv|ndjson)/.test(path)) continue;
    taken.add(kind);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(platform.supportSite + path);
      const name = kind.slice(1).replaceAll('/', '-').replaceAll(':', '');
      await writeFile(join(folder, `${name}-${width}.png`), indexedPng(await page.screenshot({ fullPage: true })));
    }
    const links = await page
      .locator('a:not([download])')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    left.push(...links.filter((one) => one.startsWith('/')));
  }
  const missing = kinds.filter((kind) => !taken.has(kind));
  process.stdout.write(`${taken.size} pages in ${folder}; without a link: ${missing.join(', ')}\n`);
}

/** The account whose switch the demo follows, with a pinned note. */
async function accountOf(told: readonly string[]): Promise<string> {
  const [, place] = told.flatMap((line) => /account-transfer-status(\/[^/]+\/[^/]+)\//.exec(line) ?? []);
  if (place === undefined) throw new Error('The story followed no account.');
  const path = `/accounts${place}`;
  const token = await obtainToken(platform.http, operatorKey);
  await call(platform.http, 'PUT', `/v1/operations${path}/notes/0/pin/`, token, {});
  return path;
}

/** The newest wave of the demo. */
async function waveOfDemo(): Promise<string> {
  const token = await obtainToken(platform.http, operatorKey);
  const { body } = await call(platform.http, 'GET', '/v1/operations/waves/?limit=1', token);
  const [wave] = body as { wave_id: string }[];
  if (wave === undefined) throw new Error('The story moved no wave.');
  return `/waves/${wave.wave_id}`;
}

/** Work that needs a decision. */
async function addStuckMessages(): Promise<void> {
  const token = await obtainToken(platform.http, operatorKey);
  const messages = ['HOME-00009001', 'HOME-00009002', 'HOME-00009003'].map((external, index) => ({
    message_id: `ENEDIS-2026-11-2${index}-000042`,
    import_supplier: 'NORDWIND',
    external_account_number: external,
    outcome: 'ACCEPTED',
    occurred_at: `2026-11-2${index}T06:00:00Z`,
  }));
  await call(platform.http, 'POST', '/v1/operations/market-messages/', token, messages);
}
