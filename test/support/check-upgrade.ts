import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// npm run check:upgrade -- <git ref> [suites]: an older release's own suites, on a database of today's schema.

const ROOT = join(import.meta.dirname, '../..');
/** What the release promised to suppliers and operators. */
const SUITES = ['test/endpoints', 'test/operations'];
const SETUP = 'test/support/start-servers.ts';

/** Starts the servers as the release does, then brings their template to today's schema. */
const WRAPPED_SETUP = `import { execFileSync } from 'node:child_process';
import startServers from './start-servers-of-release.ts';

const template = (url) => Object.assign(new URL(url), { pathname: '/gangway_template' }).href;

export default async function startUpgraded(...given) {
  await startServers(...given);
  execFileSync(process.execPath, [process.env.UPGRADE_MIGRATE], {
    stdio: 'inherit',
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: template(process.env.TEST_APPLICATION_DATABASE_URL),
      MIGRATE_DATABASE_URL: template(process.env.TEST_DATABASE_URL),
    },
  });
}
`;

const [ref, ...chosen] = process.argv.slice(2);
if (ref === undefined) {
  process.stderr.write('usage: npm run check:upgrade -- <git ref of the older release> [suites]\n');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'gangway-release-'));
let status = 1;
try {
  await takeSource(ref);
  status = await runNpm(['run', '-s', 'jest', '--', ...(chosen.length > 0 ? chosen : SUITES)]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);

/** The release's source, with its packages: ours where they are the same. */
async function takeSource(release: string): Promise<void> {
  const archive = execFileSync('git', ['archive', release], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const locked = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (locked(folder) === locked(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else if ((await runNpm(['ci', '--no-audit', '--no-fund'])) !== 0) {
    throw new Error('The packages of the release cannot be had.');
  }
  renameSync(join(folder, SETUP), join(folder, 'test/support/start-servers-of-release.ts'));
  writeFileSync(join(folder, SETUP), WRAPPED_SETUP);
}

/** @returns the status that npm ends with; a signal to us ends it too, and the folder goes */
async function runNpm(args: readonly string[]): Promise<number> {
  const run = spawn('npm', args, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, UPGRADE_MIGRATE: join(ROOT, 'src/processes/migrate.ts') },
  });
  const forward = (signal: NodeJS.Signals) => run.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const [status] = (await once(run, 'exit')) as [number | null];
  process.off('SIGINT', forward).off('SIGTERM', forward);
  return status ?? 1;
}
