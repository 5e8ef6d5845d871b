import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sitePages as pages } from '../../src/support-site/index.ts';
import { send } from '../support/harness.ts';
import { generateRows } from '../support/generated-rows.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { sitePaths } from '../support/site-paths.ts';
import { createVisitor, type Visitor } from '../support/support-site.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { benchFirstPaint } from './first-paint.ts';
import { median, stopChild } from './measure.ts';
import { ownersUrl, startUp, type UpFile } from './platform.ts';
import { seed, withClient } from './stage-set.ts';

/*
 * `npm run bench -- pages`: how long the server takes for each page of the support site with 1,000,000 accounts and
 * 20,000,000 identifiers (set by BENCH_ACCOUNTS and BENCH_IDENTIFIERS), and the first paint of some on slow 3G. Filling takes minutes and 25 GB: with
 * BENCH_FOLDER the data stays in that folder, and the next run starts measuring immediately.
 */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 1_000_000);
const IDENTIFIERS = Number(process.env['BENCH_IDENTIFIERS'] ?? 20_000_000);
const KEPT = process.env['BENCH_FOLDER'];
/** Number of requests for each page. */
const TIMES = 15;
/** Time limit of a page. */
const GOAL_MS = 100;
/** Pages whose first paint is measured. */
const PAINTED = [/^\/overview$/, /^\/accounts\/[^/]+\/[^/]+$/, /^\/stuck$/, /^\/waves\/[^/]+$/];
/** Size limit of a page over the wire, which is compressed. */
const GOAL_KB = 100;

/** Fills the database if needed, and prints the median and the longest time of each page. */
export async function benchPages(print: (line?: string) => void): Promise<void> {
  const folder = KEPT ?? (await mkdtemp(join(tmpdir(), 'gangway-pages-')));
  await mkdir(folder, { recursive: true });
  const { up, child } = await startUp(folder);
  try {
    const owner = await ownersUrl(folder, up.database);
    await fill(up, owner, print);
    print(`\npages of the support site at ${ACCOUNTS} accounts and ${IDENTIFIERS} identifiers`);
    await printPageTimes(up, owner, print);
  } finally {
    await stopChild(child);
    if (KEPT === undefined) await removeDataFolder(folder);
  }
}

/** Prints the median and the longest time of each page, and its size compressed by gzip. */
export async function printPageTimes(up: UpFile, owner: string, print: (line?: string) => void): Promise<void> {
  const paths = await withClient(owner, allPaths);
  const visitor = createVisitor(up.support_site);
  const key = (await readFile(up.operator_key_file, 'utf8')).trim();
  await visitor.signIn(key);
  print(`  goal of each page: under ${GOAL_MS} ms and ${GOAL_KB} kB`);
  for (const page of paths) print(await measured(visitor, page));
  const painted = PAINTED.flatMap((kind) => paths.find(({ path }) => kind.test(path))?.path ?? []);
  await benchFirstPaint(up.support_site, key, painted, print);
}

async function fill(up: UpFile, owner: string, print: (line?: string) => void): Promise<void> {
  const isFilled = await withClient(
    owner,
    async (client) => ((await client.query(`select 1 from import_supplier where code = 'MANY_0'`)).rowCount ?? 0) > 0,
  );
  if (isFilled) return;
  await createTemplate(up, await seed(owner));
  await withClient(owner, async (client) => {
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB'`);
    const started = performance.now();
    const onProgress = (step: string) =>
      print(`  ${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${step}`);
    await generateRows(client, { accounts: ACCOUNTS, points: IDENTIFIERS, indexesLast: true, onProgress });
    onProgress('filled');
  });
}

/** A real account with all its rows, which all others are copies of. */
export async function createTemplate({ http }: UpFile, token: string): Promise<void> {
  const external = 'TEMPLATE-1';
  const path = '/v1/data-import/account-import-process';
  const body = domesticAccount({ import_supplier: 'BENCH', external_account_number: external }, 1);
  const request = {
    external_account_number: external,
    import_supplier_code: 'BENCH',
    operations_team_name: 'Migration',
  };
  await send(http, 'POST', `${path}/create-or-update/`, { token, body });
  const created = await send(http, 'POST', `${path}/process/`, { token, body: request });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
}

interface PageAddress {
  path: string;
  /** Files and exact counts: requested once, as no page waits for them. */
  isLong: boolean;
}

/** Every page, with the generated rows as its parameters. */
async function allPaths(client: Parameters<typeof sitePaths>[0]): Promise<PageAddress[]> {
  const pathsOf = await sitePaths(client);
  return pages
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path, isLong = false }) => pathsOf(path).map((asked) => ({ path: asked, isLong })));
}

async function measured(visitor: Visitor, { path, isLong }: PageAddress): Promise<string> {
  const times: number[] = [];
  let answer = isLong ? undefined : await visitor.get(path);
  for (let time = 0; time < (isLong ? 1 : TIMES); time += 1) {
    const started = performance.now();
    answer = await visitor.get(path);
    times.push(performance.now() - started);
  }
  const [middle, longest] = [median(times), Math.max(...times)];
  const figures = `p50 ${middle.toFixed(0).padStart(6)} ms   longest ${longest.toFixed(0).padStart(6)} ms`;
  const kilobytes = gzipSync(answer!.text).length / 1_000;
  const status = answer!.status < 400 ? '' : `   STATUS ${answer!.status}`;
  const goal = isLong ? '   (once)' : middle > GOAL_MS || kilobytes > GOAL_KB ? '   OVER THE GOAL' : '';
  return `  ${path.padEnd(70)} ${figures}   ${kilobytes.toFixed(0)} kB${status}${goal}`;
}
