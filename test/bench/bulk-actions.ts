import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken } from '../support/issue-token.ts';
import type { Load } from './load.ts';
import { median } from './measure.ts';
import { withClient } from './stage-set.ts';

/** Items of one action. */
const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 20_000);
const ROUNDS = 3;
/** Items of the action without creations. */
const ITEMS_ALONE = ITEMS / 10;
/** Messages that were received in the same second. */
const PER_SECOND = 1_000;
const GOAL = 0.9;

interface BulkBench {
  http: string;
  /** Connects as the owner of the database. */
  database: string;
  print(line?: string): void;
  /** Runs single creations for a few seconds over several connections. */
  createSingly(): Promise<Load>;
}

/** A bulk action on many messages alone, and single creations alone and beside one. */
export async function benchBulkActions(bench: BulkBench): Promise<void> {
  const token = await withClient(bench.database, (client) => issueToken(client, 'operator', []));
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${bench.http}/v1/operations/${path}`, {
      method,
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  /** Dismisses all messages. @returns its seconds */
  const dismissAll = async (items: number) => {
    const body = { action: 'dismiss', filter: { import_supplier: 'BENCH' }, reason: 'bench' };
    let view = await call('POST', 'bulk-actions/', body);
    const path = `bulk-actions/${String(view['bulk_action_id'])}/`;
    for (; view['status'] === 'RUNNING'; view = await call('GET', path)) await sleep(200);
    if (view['handled'] !== items) throw new Error(`${String(view['handled'])} items were handled`);
    return (Date.parse(view['ended_at'] as string) - Date.parse(view['created_at'] as string)) / 1_000;
  };
  await insertMessages(bench, ITEMS_ALONE);
  const seconds = await dismissAll(ITEMS_ALONE);
  await bench.createSingly();
  const alone: Load[] = [];
  const beside: Load[] = [];
  await insertMessages(bench, ITEMS);
  for (let round = 0; round < ROUNDS; round += 1) alone.push(await bench.createSingly());
  const action = { isRunning: true };
  const dismissed = dismissAll(ITEMS).finally(() => {
    action.isRunning = false;
  });
  while (action.isRunning) beside.push(await bench.createSingly());
  const besideSeconds = await dismissed;
  // The action ended during the last one.
  const complete = beside.length > 1 ? beside.slice(0, -1) : beside;
  for (let round = 0; round < ROUNDS; round += 1) alone.push(await bench.createSingly());
  const rateOf = (loads: readonly Load[]) => median(loads.map(({ perSecond }) => perSecond));
  const ratio = rateOf(complete) / rateOf(alone);
  bench.print(`\nbulk action on ${ITEMS} messages, and single creations beside it (goal: ${GOAL} of their rate alone)`);
  bench.print(
    `  alone ${(ITEMS_ALONE / seconds).toFixed(0)} items/s; beside creations ${(ITEMS / besideSeconds).toFixed(0)} items/s`,
  );
  bench.print(
    `  creations alone ${rateOf(alone).toFixed(0)}/s, beside it ${rateOf(complete).toFixed(0)}/s: ${ratio.toFixed(2)} of it; ${complete.length} measurements`,
  );
}

/** Stores messages of unknown accounts. */
async function insertMessages({ database }: BulkBench, items: number): Promise<void> {
  await withClient(database, async (client) => {
    await client.query(
      `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, received_at, effect)
       select gen_random_uuid(), 'message', 'BENCH', 'NOBODY-' || n, 'ACCEPTED', now(), now() - interval '1 hour' - n / ${PER_SECOND} * interval '1 second', 'unknown-account'
       from generate_series(1, $1::integer) n`,
      [items],
    );
    await client.query('analyze market_message');
  });
}
