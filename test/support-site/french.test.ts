import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isForSuppliers } from '../../src/support-site/frame/supplier-pages.ts';
import { sitePages } from '../../src/support-site/index.ts';
import { frenchSite } from '../../src/vocabulary/french-site.ts';
import { importJobGoals, importJobStatuses } from '../../src/vocabulary/import-jobs.ts';
import { supplierStatuses } from '../../src/vocabulary/supplier-status.ts';
import { switchStatuses } from '../../src/vocabulary/switch-statuses.ts';
import { violationSentences } from '../../src/vocabulary/violations.ts';
import { waveStatuses } from '../../src/vocabulary/waves.ts';
import { withdrawalStatuses } from '../../src/vocabulary/withdrawals.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { supplierWithEverything, type OwnThings } from '../support/two-suppliers.ts';

// Every page of people of import suppliers in French, compared with the same page in English.

let service: Service;
let site: Site;
let acme: OwnThings;
let ada: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  acme = await supplierWithEverything(service, 'ACME', 1);
  ada = site.visitor();
  await ada.signIn(acme.key);
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

/** Texts that are the same in both languages and no translations: names of this product and its languages, roles, codes and values of fields. */
const SAME = new Set([
  ...['gangway', 'Français', 'English', 'Ctrl K', 'Enter', 'SHA-256', 'UTC'],
  ...Object.keys(violationSentences),
]);

/** Parts of texts that have no language: names of the test, codes, addresses, times and numbers. */
const WITHOUT_LANGUAGE = [
  /(?:Organisation|Job|Wave|Name|Reason|Key) of ACME/g,
  /https?:\/\/\S+/g,
  /\b[\w.-]*(?:ACME|acme)[\w.-]*/g,
  /\b[\da-f]{8}(?:-[\da-f]{4}){0,3}(?:-[\da-f]{12})?\b/g,
  /\b\w+(?:[_.]\w+)+\b/g,
  /\b[A-Z][A-Z\d-]+\b/g,
  /\d+ (?:s|min|h)\b/g,
  /\d[\d:TZ,.-]*/g,
];

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decoded = (text: string) => text.replaceAll(/&([\w#]+);/g, (all, name: string) => ENTITIES[name] ?? all);

/** The texts of a page: its text nodes outside of code and styles, line by line, and the attributes that people read. */
function textsOf(page: string): Set<string> {
  const shown = page.replace(' – gangway</title>', '</title>').replaceAll(/<(code|q|kbd|style)\b[^]*?<\/\1>/g, ' ');
  const attributes = [...shown.matchAll(/ (?:aria-label|title|placeholder|data-ask|data-title|alt)="([^"]*)"/g)];
  const nodes = shown.replaceAll(/<[^>]*>/g, '\n').split('\n');
  const all = [...nodes, ...attributes.map(([, text]) => text!)].map((text) =>
    decoded(text).replaceAll(/\s+/g, ' ').trim(),
  );
  return new Set(all.filter((text) => text !== ''));
}

/** Codes that people read as words. */
const STATES = new RegExp(
  String.raw`(?<![\w-])(?:${[waveStatuses, importJobStatuses, importJobGoals, switchStatuses, supplierStatuses, withdrawalStatuses].flatMap(Object.keys).join('|')})(?![\w-])`,
);

function hasNoLanguage(text: string): boolean {
  if (STATES.test(text)) return false;
  if (SAME.has(text) || Reflect.get(frenchSite, text) === text) return true;
  const words = WITHOUT_LANGUAGE.reduce((rest, part) => rest.replaceAll(part, ' '), text);
  return words.split(/[^\p{L}-]+/u).every((word) => word === '' || word === '-' || SAME.has(word));
}

/** The texts that a page has in both languages although they have one. */
async function untranslated(path: string): Promise<string[]> {
  const english = textsOf((await ada.get(path, { 'accept-language': 'en' })).text);
  const french = await ada.get(path, { 'accept-language': 'fr' });
  expect([path, french.status]).toEqual([path, 200]);
  expect(french.text).not.toContain('lang="en">\n');
  return [...textsOf(french.text)].filter((text) => english.has(text) && !hasNoLanguage(text));
}

const filled = (path: string) => path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(acme[name] ?? 'x'));

/** Ends of paths of files. */
const FILES = /\.csv$|\/file$|\/results\/|\/kept$|\/businesses$|\/balances$/;
const pages = sitePages.filter((one) => one.method === 'GET' && isForSuppliers(one) && !FILES.test(one.path));

test('writes each page of people of import suppliers in French', async () => {
  expect(pages.length).toBeGreaterThan(25);
  const found: [string, string[]][] = [];
  for (const { path } of pages) found.push([path, await untranslated(filled(path))]);
  expect(found.filter(([, texts]) => texts.length > 0)).toEqual([]);
});

test('writes what a search found, and messages of forms, in French', async () => {
  for (const typed of ['ACME-ACCOUNT', acme['job']!]) {
    const { location } = await ada.post('/find', [['q', typed]]);
    expect([typed, await untranslated(location!)]).toEqual([typed, []]);
  }
  await ada.get('/jobs');
  const french = { 'accept-language': 'fr' };
  const { text } = await ada.post(`/jobs/${acme['job']}/pause`, [['reason', 'Un motif']], french);
  expect(text).toMatch(/<h1>La requête est refusée<\/h1>/);
});

test('writes the states of a job in French: before its start, waiting for a decision, and ended early', async () => {
  const states = [
    ['OPEN', null],
    ['PAUSED', 'canary'],
    ['PAUSED', 'manifest_mismatch'],
    ['PAUSED', 'staged_accounts_max'],
    ['CANCELLED', null],
  ];
  for (const [status, because] of states) {
    await service.database.pool.query(
      `update import_job set goal = 'CREATE', status = $2, paused_because = $3, ended_at = case when $2 = 'CANCELLED' then now() end
       where id = $1`,
      [acme['job'], status, because],
    );
    for (const path of ['/jobs', '/jobs/:job', '/jobs/:job/progress']) {
      expect([status, because, path, await untranslated(filled(path))]).toEqual([status, because, path, []]);
    }
  }
});
