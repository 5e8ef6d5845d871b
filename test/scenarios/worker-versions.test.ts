import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { startEmbeddedTemporal } from '../../src/local-stack/embedded-temporal.ts';
import { createLog } from '../../src/platform/log.ts';
import { startWorkers, type RunningWorkers } from '../../src/processes/start-workers.ts';
import { workflowIds } from '../../temporal.config.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { startService } from '../support/harness.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { startReaper } from '../support/start-reaper.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';

const DEPLOYMENT = 'gangway';
const V1 = '/v1/data-import/account-import-process';

let newWorkers: RunningWorkers | undefined;

const folder = await makeDataFolder('gangway-versions-');
// Separate servers: those of the other tests run without the part that stores deployments.
const temporal = await startEmbeddedTemporal({
  cliPath: process.env['TEST_TEMPORAL_CLI'] as string,
  dataDir: folder,
  port: await reservePort(),
  uiPort: await reservePort(),
  namespace: 'default',
  log: createLog({ level: 'silent', process: 'test' }),
});
startReaper(folder, [temporal.pid]);
const settings = { TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, BUILD_ID: '1.0.0-old', CREATION_TIMEOUT_MS: '120000' };
const service = await startService({ worker: true, temporalAddress: temporal.address, settings });
const token = await service.supplierToken(['SUPPLIER_FR']);
afterAll(async () => {
  await newWorkers?.stop();
  await service.stop();
  await temporal?.stop();
  await removeDataFolder(folder);
});

/** The commands of the guide (docs/running/upgrades.md). */
async function deployment(command: string, build: string, ...more: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.env['TEST_TEMPORAL_CLI'] as string, [
    ...['worker', 'deployment', command, '--deployment-name', DEPLOYMENT, '--build-id', build, ...more],
    ...['--address', temporal.address],
  ]);
  return stdout;
}

/** Temporal rejects it until workers of the build have polled each of their queues. */
async function setCurrent(build: string): Promise<void> {
  // Each attempt is a process.
  await until(
    () =>
      deployment('set-current-version', build, '--yes').then(
        () => true,
        () => false,
      ),
    500,
  );
}

async function stage(external: string, sequence: number, slug = 'fine'): Promise<void> {
  const body = domesticAccount(
    { import_supplier: 'SUPPLIER_FR', external_account_number: external, account_campaigns: [{ slug }] },
    sequence,
  );
  expect((await service.call('POST', `${V1}/create-or-update/`, { token, body })).status).toBe(201);
}

const create = (external: string) =>
  service.call('POST', `${V1}/process/`, {
    token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });

/** Ids of the runs of a workflow, the oldest first. */
async function runsOf(type: string): Promise<string[]> {
  const found: { workflowId: string; startTime: Date }[] = [];
  for await (const run of service.gateway.client().workflow.list({ query: `WorkflowType = '${type}'` })) {
    found.push(run);
  }
  return found.toSorted((one, other) => +one.startTime - +other.startTime).map(({ workflowId }) => workflowId);
}

/** The builds that worked on a run, as its history names them after its end. */
async function buildsOf(workflowId: string): Promise<string[]> {
  const handle = service.gateway.client().workflow.getHandle(workflowId);
  await handle.result();
  const history = await handle.fetchHistory();
  const names = history.events!.flatMap(({ workflowTaskCompletedEventAttributes: done }) => done?.identity ?? []);
  return [...new Set(names.map((name) => name.split('/').at(-1)!))];
}

const pendingOf = async (workflowId: string): Promise<number> =>
  (await service.gateway.client().workflow.getHandle(workflowId).describe()).raw.pendingActivities?.length ?? 0;

test('ends a short run on its build, starts new runs on the current one, and moves long runs to it', async () => {
  await setCurrent('1.0.0-old');
  await service.database.pool.query(`alter table account_campaign add constraint no_poison check (slug <> 'poison')`);
  await stage('VERSION-LONG', 1, 'poison');
  const quarantined = create('VERSION-LONG');
  const longRun = workflowIds.createAccount('SUPPLIER_FR', 'VERSION-LONG');
  await until(async () => (await pendingOf(longRun).catch(() => 0)) > 0);

  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query('lock table account in access exclusive mode');
  await stage('VERSION-SHORT', 2);
  const begun = create('VERSION-SHORT');
  let shortRun = '';
  await until(async () => {
    shortRun = (await runsOf('createAccounts'))[1] ?? '';
    return shortRun !== '' && (await pendingOf(shortRun)) > 0;
  });

  const log = createLog({ level: 'silent', process: 'test' });
  newWorkers = await startWorkers({
    // As the Temporal Worker Controller sets them.
    settings: { ...service.settings, TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, TEMPORAL_WORKER_BUILD_ID: '1.1.0-new' },
    gateway: service.gateway,
    log,
  });
  await setCurrent('1.1.0-new');
  expect(await deployment('describe-version', '1.0.0-old', '--output', 'json')).toMatch(/"drainageStatus":\s*"drain/);
  await holder.query('rollback');
  holder.release();
  expect((await begun).status).toBe(201);
  expect(await buildsOf(shortRun)).toEqual(['1.0.0-old']);

  // Temporal notifies its queues of the current build asynchronously.
  let builds: string[] = [];
  for (let next = 3; builds[0] !== '1.1.0-new'; next += 1) {
    const known = new Set(await runsOf('createAccounts'));
    await stage(`VERSION-${next}`, next);
    expect((await create(`VERSION-${next}`)).status).toBe(201);
    let run: string | undefined;
    await until(async () => {
      run = (await runsOf('createAccounts')).find((id) => !known.has(id));
      return run !== undefined;
    });
    builds = await buildsOf(run!);
    expect(builds).toHaveLength(1);
  }

  // The old workers stop, and runs that waited for a decision continue without them.
  await service.stopWorker();
  await service.database.pool.query('alter table account_campaign drop constraint no_poison');
  expect((await quarantined).body.code).toBe('account_quarantined');
  expect(await buildsOf(longRun)).toEqual(['1.0.0-old', '1.1.0-new']);
});
