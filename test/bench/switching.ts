// Cost of running switches while they wait: node test/bench/switching.ts [runs]. Creates the accounts in a database
// and a Temporal server of its own, lets the network operator's acceptance start their runs, and prints what they
// cost when nothing happens, and how long one message takes among them.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { startEmbeddedPostgres } from '../../src/local-stack/embedded-postgres.ts';
import { startEmbeddedTemporal } from '../../src/local-stack/embedded-temporal.ts';
import { reservePort } from '../support/test-port.ts';
import { findTemporalCli } from '../../src/local-stack/temporal-cli.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { entities } from '../../src/processes/entities.ts';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { installTemporalRuntime } from '../../src/platform/temporal/temporal-runtime.ts';
import { openTemporalGateway } from '../../src/platform/temporal/temporal-gateway.ts';
import { dispatchRound, startWorkItem } from '../../src/platform/work-items/dispatch-work-items.ts';
import { startWorkers } from '../../src/processes/start-workers.ts';
import { switchWorkItem, storeMessages } from '../../src/switching/market-message.store.ts';
import { wakeSwitches } from '../../src/switching/change-switch.client.ts';
import { switchRetrySeconds } from '../../temporal.config.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';

const RUNS = Number(process.argv[2] ?? 10_000);
const say = (line: string) => process.stdout.write(`${line}\n`);
const log = createLog({ level: 'silent', process: 'bench' });
const folder = await mkdtemp(join(tmpdir(), 'gangway-switching-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder, port: await reservePort(), log });
await migrate(postgres.url, sqlFiles);
const cliPath = await findTemporalCli({ settings: readSettings(), environment: process.env, onProgress: say });
const temporal = await startEmbeddedTemporal({
  cliPath,
  dataDir: folder,
  port: await reservePort(),
  uiPort: await reservePort(),
  namespace: 'default',
  log,
});
installTemporalRuntime(log);
const gateway = openTemporalGateway({ address: temporal.address, namespace: 'default', log });
const database = await openDatabase({ url: postgres.url, entities, poolSize: 8, log, applicationName: 'bench' });
const settings = { ...readSettings({}), DATABASE_URL: postgres.url };
const worker = await startWorkers({ settings, gateway, log });
while (!(await gateway.isReady())) await sleep(100);

await database.pool.query(`
  insert into import_supplier (code, name) values ('BENCH', 'Bench');
  insert into operations_team (name) values ('Migration');
  insert into supply_point (supply_type, identifier) select 'ELECTRICITY', lpad(n::text, 14, '0') from generate_series(1, ${RUNS}) n;
  insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, imported_at)
    select gen_random_uuid(), 'BENCH', 'E' || n, '{}', '[]', '', '', now() from generate_series(1, ${RUNS}) n;
  insert into account (id, creation_id, import_process_id, import_supplier, external_account_number, operations_team, account_type, unknown_occupier)
    select gen_random_uuid(), gen_random_uuid(), id, import_supplier, external_account_number, 'Migration', 'DOMESTIC', false from import_process;
  insert into supply_address (account_id, position, customer_at_supply_address_from_date) select id, 0, '2020-01-01' from account;
  insert into account_supply_point (account_id, position, address_position, supply_point_id, supply_start_date, consent_data)
    select a.id, 0, 0, m.id, '2026-01-01', '{}' from account a join supply_point m on m.identifier = lpad(substr(a.external_account_number, 2), 14, '0');
  insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at)
    select 'a' || external_account_number, 'message', import_supplier, external_account_number, 'ACCEPTED', now() from account;
  insert into work_item (workflow_id, kind, input, start_at)
    select 'switch-supplier/' || number, 'switch-supplier', jsonb_build_object('accountNumber', number, 'importSupplier', 'BENCH', 'externalAccountNumber', external_account_number), now() + interval '1 day' from account`);
const { rows: accounts } = await database.pool.query<{ number: string; external: string }>(
  'select number, external_account_number as external from account',
);
const inProgress = async () =>
  Number((await database.pool.query(`select count(*) from account where switch_status = 'IN_PROGRESS'`)).rows[0].count);

const started = performance.now();
await pMap(
  accounts,
  ({ number, external }) => startWorkItem({ gateway, log }, switchWorkItem(number, 'BENCH', external)),
  { concurrency: 16 },
);
while ((await inProgress()) < RUNS) await sleep(500);
const seconds = (performance.now() - started) / 1_000;
say(
  `${RUNS} runs started and waiting after ${seconds.toFixed(0)} s (${(RUNS / seconds).toFixed(0)}/s; the dispatcher takes 10/s)`,
);
await sleep(15_000);

const cpu = process.cpuUsage();
const statements = async () =>
  Number((await database.pool.query(`select sum(xact_commit) as n from pg_stat_database`)).rows[0].n);
const before = await statements();
const watchedMs = 30_000;
await sleep(watchedMs);
const used = process.cpuUsage(cpu);
globalThis.gc?.();
const memory = process.memoryUsage();
say(
  `waiting: ${(((used.user + used.system) / 1_000 / watchedMs) * 100).toFixed(1)} % of a core and ${Math.round(memory.rss / 1_048_576)} MB (heap ${Math.round(memory.heapUsed / 1_048_576)}) in api-less worker; ${(await statements()) - before} commits in ${watchedMs / 1_000} s in all of Postgres`,
);
const dispatching = performance.now();
const lookedAt = await dispatchRound({ database, gateway, log });
say(
  `a round among them: ${(performance.now() - dispatching).toFixed(1)} ms, ${lookedAt} checked; each is checked every ${switchRetrySeconds / 3_600} h, ${(RUNS / switchRetrySeconds).toFixed(2)}/s in all`,
);
const [one] = accounts as [{ number: string; external: string }];
const reportedAt = performance.now();
const { signalled } = await database.transaction((em) =>
  storeMessages(em, [
    {
      message_id: 'c1',
      import_supplier: 'BENCH',
      external_account_number: one.external,
      outcome: 'COMPLETED',
      occurred_at: new Date().toISOString(),
    },
  ]),
);
await wakeSwitches({ gateway, log }, signalled);
while ((await inProgress()) === RUNS) await sleep(5);
say(`one message among them moves its account after ${(performance.now() - reportedAt).toFixed(0)} ms`);

await worker.stop();
await gateway.close();
await database.close();
await temporal.stop();
await postgres.stop();
await removeDataFolder(folder);
