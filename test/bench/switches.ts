import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken } from '../support/issue-token.ts';
import { send } from '../support/harness.ts';
import { leastOf, meteredPostgres, openMeter } from './cost-meter.ts';
import { describeCosts } from './costs.ts';
import { describeSurroundings } from './machine.ts';
import { median, processorSeconds, residentMb } from './measure.ts';
import { storeResults } from './results.ts';
import { startStack, type Stack } from './stack.ts';
import { seed, withClient } from './stage-set.ts';

/*
 * `npm run bench -- switches`: how many switches a second are requested and completed, what one costs, what open
 * switches cost while nothing happens, and how long a message takes among them. API, worker and the simulated
 * industry switch are processes of their own. BENCH_SWITCHES (6000), BENCH_ROUNDS (2), BENCH_OPEN (100000),
 * BENCH_MESSAGES (20): messages per request.
 */
const SWITCHES = Number(process.env['BENCH_SWITCHES'] ?? 6_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 2);
const OPEN = Number(process.env['BENCH_OPEN'] ?? 100_000);
const MESSAGES = Number(process.env['BENCH_MESSAGES'] ?? 20);
const IDLE_MS = 20_000;
const SENDERS = 4;
const MOVED = 20;
/** The simulated industry switch accepts points that begin so, and sends nothing further. */
const SILENT_POINT = '9911';

interface Scene {
  stack: Stack;
  operatorToken: string;
}

const query = <Row extends object>({ stack }: Scene, text: string, values: unknown[] = []): Promise<Row[]> =>
  withClient(stack.database, async (client) => (await client.query(text, values)).rows as Row[]);

/** Measures switches, prints the figures and stores the costs. */
export async function benchSwitches(print: (line?: string) => void): Promise<void> {
  print('Starting API and worker as separate processes ...');
  const stack = await startStack({ DISPATCH_EVERY_MS: '2000' }, meteredPostgres);
  try {
    await seed(stack.database);
    const operatorToken = await withClient(stack.database, (client) => issueToken(client, 'operator', []));
    const scene: Scene = { stack, operatorToken };
    await query(scene, `update import_supplier set options = '{}'`);
    await insertAccounts(scene, 'WARM', SWITCHES / 2, 'PENDING');
    await completeSwitches(scene, 'WARM', SWITCHES / 2);
    const meter = await openMeter(stack, IDLE_MS);
    const costs = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      print(`round ${round + 1} of ${ROUNDS}`);
      await insertAccounts(scene, `R${round}-`, SWITCHES, 'PENDING');
      costs.push(await meter.measure('switch', SWITCHES, () => completeSwitches(scene, `R${round}-`, SWITCHES)));
    }
    const surroundings = await describeSurroundings(stack.database);
    print(`${surroundings.machine}\n${surroundings.versions}\ncommit ${surroundings.commit}\n`);
    const cost = leastOf(costs);
    for (const line of describeCosts([meter.idle, cost])) print(line);
    print(`\n${cost.perSecond.toFixed(0)} switches a second are requested and completed`);
    await measureOpen(scene, print);
    print(`\nstored as ${storeResults({ ...surroundings, measured: [], costs: [cost] })}`);
  } finally {
    await stack.stop();
  }
}

/** Inserts accounts of one point with their work items: due now, or in progress and waiting for messages. */
async function insertAccounts(scene: Scene, prefix: string, count: number, status: 'PENDING' | 'IN_PROGRESS') {
  const [first] = await query<{ n: string }>(
    scene,
    `select coalesce(max(identifier::bigint), ${SILENT_POINT}0000000000) as n from supply_point where identifier ~ '^${SILENT_POINT}'`,
  );
  const due = status === 'PENDING' ? 'now()' : "now() + interval '30 days'";
  await query(
    scene,
    `with n as materialized (select n from generate_series(1, ${count}) n), points as (
      insert into supply_point (supply_type, identifier) select 'ELECTRICITY', (${first!.n} + n)::text from n returning id, identifier
    ), processes as (
      insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, imported_at)
      select gen_random_uuid(), 'BENCH', '${prefix}' || n, '{}', '[]', '', '', now() from n returning id, import_supplier, external_account_number
    ), accounts as (
      insert into account (id, creation_id, import_process_id, import_supplier, external_account_number, operations_team, account_type, unknown_occupier, switch_status)
      select uuidv7(), gen_random_uuid(), id, import_supplier, external_account_number, 'Migration', 'DOMESTIC', false, '${status}' from processes
      returning id, number, external_account_number
    ), addresses as (
      insert into supply_address (account_id, position, customer_at_supply_address_from_date) select id, 0, '2020-01-01' from accounts
    ), switched as (
      insert into account_supply_point (account_id, position, address_position, supply_point_id, supply_start_date, consent_data, switch_status)
      select a.id, 0, 0, p.id, '2022-01-01', '{}', '${status}'
      from accounts a join points p on p.identifier = (${first!.n} + substr(a.external_account_number, ${prefix.length + 1})::bigint)::text
    )
    insert into work_item (workflow_id, kind, input, start_at)
    select 'switch-supplier/' || number, 'switch-supplier', jsonb_build_object('accountNumber', number, 'importSupplier', 'BENCH', 'externalAccountNumber', external_account_number), ${due} from accounts`,
  );
  // The state of a switch follows from its messages.
  if (status === 'IN_PROGRESS') {
    await query(
      scene,
      `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, effect, effect_at)
       select '${prefix}' || n, 'answer', 'BENCH', '${prefix}' || n, 'ACCEPTED', now() - interval '1 day', 'moved', now()
       from generate_series(1, ${count}) n`,
    );
  }
  await query(scene, 'analyze');
}

/** Sends the message of completion for each account whose request was accepted, until all are COMPLETED. */
async function completeSwitches(scene: Scene, prefix: string, count: number): Promise<void> {
  const inProgress: string[] = [];
  let seen = '-infinity';
  let sent = 0;
  const sender = async (): Promise<void> => {
    while (sent < count) {
      const some = inProgress.splice(0, MESSAGES);
      sent += some.length;
      if (some.length > 0) await sendMessages(scene, some, 'COMPLETED');
      else await sleep(20);
    }
  };
  const reader = async (): Promise<void> => {
    for (let found = 0; found < count; await sleep(100)) {
      const rows = await query<{ at: string; external: string }>(
        scene,
        `select received_at::text as at, external_account_number as external from market_message
         where received_at > $1::timestamptz and source = 'answer' and external_account_number like '${prefix}%' order by received_at`,
        [seen],
      );
      found += rows.length;
      inProgress.push(...rows.map(({ external }) => external));
      seen = rows.at(-1)?.at ?? seen;
    }
  };
  await Promise.all([reader(), ...Array.from({ length: SENDERS }, sender)]);
  const open = `select 1 from account where external_account_number like '${prefix}%' and switch_status <> 'COMPLETED' limit 1`;
  while ((await query(scene, open)).length > 0) await sleep(100);
}

async function sendMessages({ stack, operatorToken }: Scene, externals: readonly string[], outcome: string) {
  const messages = externals.map((external) => ({
    message_id: `${outcome}/${external}`,
    import_supplier: 'BENCH',
    external_account_number: external,
    outcome,
    occurred_at: new Date().toISOString(),
  }));
  const answer = await send(stack.apis[0]!, 'POST', '/v1/operations/market-messages/', {
    token: operatorToken,
    body: messages,
  });
  if (answer.status !== 200) throw new Error(`market-messages: ${answer.status}`);
}

/** What open switches cost while nothing happens, and the time until a message moves its account among them. */
async function measureOpen(scene: Scene, print: (line: string) => void): Promise<void> {
  const { stack } = scene;
  const memory = () => stack.pids().worker.reduce((sum, pid) => sum + residentMb(pid), 0);
  const before = memory();
  await insertAccounts(scene, 'OPEN-', OPEN, 'IN_PROGRESS');
  await query(scene, 'checkpoint');
  await sleep(5_000);
  const pids = stack.pids();
  const seconds = () => processorSeconds([...pids.worker, ...pids.temporal, ...pids.postgres]);
  const [startedAt, used] = [performance.now(), seconds()];
  await sleep(IDLE_MS);
  const share = (seconds() - used) / ((performance.now() - startedAt) / 1_000);
  print(
    `${OPEN} open switches: ${(share * 100).toFixed(1)} % of a core in worker, Temporal and Postgres; worker ${before.toFixed(0)} MB before, ${memory().toFixed(0)} MB now`,
  );
  const times: number[] = [];
  for (let one = 1; one <= MOVED; one += 1) {
    const external = `OPEN-${Math.ceil((OPEN * one) / MOVED)}`;
    const sentAt = performance.now();
    await sendMessages(scene, [external], 'COMPLETED');
    const moved =
      'select 1 from account where import_supplier = $1 and external_account_number = $2 and switch_status = $3';
    while ((await query(scene, moved, ['BENCH', external, 'COMPLETED'])).length === 0) await sleep(5);
    times.push(performance.now() - sentAt);
  }
  print(
    `a message among them moves its account after ${median(times).toFixed(0)} ms (median), at most ${Math.max(...times).toFixed(0)} ms`,
  );
}
