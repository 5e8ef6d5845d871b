import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../../src/platform/read-arguments.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Suites that test the release's behavior for suppliers and operators. */
const SUITES = ['test/endpoints', 'test/operations'];
const SETUP = 'test/support/start-servers.ts';

/** Starts the servers as the release does, then migrates their template to today's schema. */
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

const [ref = '', ...chosen] = readArguments({
  usage: 'npm run check:upgrade -- <tag or commit of the older release> [suites]',
  help: `Runs the older release's own suites on a database with today's schema; ${SUITES.join(' and ')} by default.`,
  words: { least: 1, most: Infinity },
});
refuseUnknownRef(ref);
const folder = mkdtempSync(join(tmpdir(), 'gangway-release-'));
let status = 1;
try {
  await takeSource(ref);
  status = await runNpm(['run', '-s', 'jest', '--', ...(chosen.length > 0 ? chosen : SUITES)]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);

/** Exits with a message if git does not know the release here. */
function refuseUnknownRef(name: string): void {
  const { status } = spawnSync('git', ['rev-parse', '--quiet', '--verify', `${name}^{commit}`], { cwd: ROOT });
  if (status === 0) return;
  process.stderr.write(
    `git knows no "${name}" here. \`git fetch --tags\` fetches the releases, \`git tag\` lists them.\n`,
  );
  process.exit(2);
}

/** Unpacks the source of the release, and links our packages if they are the same. */
async function takeSource(release: string): Promise<void> {
  const archive = execFileSync('git', ['archive', release], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const locked = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (locked(folder) === locked(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else if ((await runNpm(['ci', '--no-audit', '--no-fund'])) !== 0) {
    throw new Error('The packages of the release cannot be installed.');
  }
  renameSync(join(folder, SETUP), join(folder, 'test/support/start-servers-of-release.ts'));
  writeFileSync(join(folder, SETUP), WRAPPED_SETUP);
}

/** @returns npm's exit status; a signal to this process ends npm too, and the folder is removed */
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
