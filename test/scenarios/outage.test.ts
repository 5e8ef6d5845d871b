import type { ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { startCannedVendor } from '../support/canned-vendor.ts';
import { until } from '../support/until.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, withoutThread } from './stack.ts';

// Parts fail while a payment instruction is verified, and the database while many accounts are created. By hand also
// with VENDOR_AWAY_SECONDS=120 VENDOR_AWAY_REQUESTS=500 OUTAGE_SECONDS=120 OUTAGE_ACCOUNTS=700 FIGURES=1.

const AWAY_MS = Number(process.env['VENDOR_AWAY_SECONDS'] ?? 12) * 1_000;
const WAITING = Number(process.env['VENDOR_AWAY_REQUESTS'] ?? 30);
const PAYMENT_TIMEOUT_MS = 2_000;
/** Long enough that callers time out. */
const OUTAGE_MS = Number(process.env['OUTAGE_SECONDS'] ?? 8) * 1_000;
const CREATION_TIMEOUT_MS = 3_000;
const CLIENTS = 96;
const BREAK_MS = 150;
const READERS = 40;
/** Numbers after those of the payment instructions. */
const FIRST_CREATED = 10_001;

const vendor = await startCannedVendor();
const stack = await startStack({
  ...withoutThread,
  GOCARDLESS_URL: vendor.url,
  GOCARDLESS_ACCESS_TOKEN: 'token',
  PAYMENT_TIMEOUT_MS: String(PAYMENT_TIMEOUT_MS),
  CREATION_TIMEOUT_MS: String(CREATION_TIMEOUT_MS),
});
const temporal = await Connection.connect({ address: stack.temporalAddress });
const accounts = await stageAccounts(stack, 10 + WAITING);
await createAccounts(stack, accounts, { clients: 16, pauseMs: 200 });
afterAll(async () => {
  await temporal?.close();
  await stack?.stop();
  await vendor?.stop();
});

// The database first: it is compared with accounts that have no added payment instruction.

const BATCHES = `WorkflowType = 'createAccounts'`;
async function countRuns(query: string): Promise<number> {
  const { count } = await temporal.workflowService.countWorkflowExecutions({ namespace: 'default', query });
  return Number(count);
}
const openBatches = () => countRuns(`${BATCHES} and ExecutionStatus = 'Running'`);

test.each<[string, 'killed' | 'frozen', number]>([
  ['killed', 'killed', FIRST_CREATED],
  ['frozen', 'frozen', FIRST_CREATED + 100_000],
])(
  'with Postgres %s under load: few batches wait, callers are answered, and all continues at full speed without duplicates',
  async (_what, how, from) => {
    const numbers = await stageAccounts(stack, Number(process.env['OUTAGE_ACCOUNTS'] ?? 300), from);
    let count = 0;
    let refused = 0;
    const creating = createAccounts(stack, numbers, {
      clients: CLIENTS,
      pauseMs: 500,
      // So that the load lasts until the database is down.
      breakMs: BREAK_MS,
      onCompleted: (completed) => {
        count = completed;
      },
      onAnswer: (status) => {
        if (status === 503) refused += 1;
      },
    });
    while (count < numbers.length / 3) await sleep(10);
    const beginsAt = performance.now();
    const thaw = await stopPostgres(how);
    // More than the pool has connections: some wait for one until they are rejected.
    const readers = Promise.all(Array.from({ length: READERS }, () => readStatus(numbers[0]!)));
    let batchesMax = 0;
    const [countBefore, refusedBefore] = [count, refused];
    // Until every caller has timed out, and was answered while the database is still down.
    while (performance.now() - beginsAt < OUTAGE_MS || refused - refusedBefore < CLIENTS) {
      batchesMax = Math.max(batchesMax, await openBatches());
      await sleep(500);
    }
    expect(new Set(await readers)).toEqual(new Set([503]));
    await thaw();
    const isBackAt = performance.now();
    const countAtReturn = count;
    while (count === countAtReturn) await sleep(20);
    const firstAfterMs = performance.now() - isBackAt;
    const { completed, figures } = await creating;
    const allAfterMs = performance.now() - isBackAt;
    if (process.env['FIGURES']) {
      const rate = (from_: number, to: number) =>
        figures.completedAtSeconds.filter((at) => at >= from_ && at < to).length;
      const perSecond = Array.from({ length: Math.ceil(figures.completedAtSeconds.at(-1) ?? 0) }, (_, second) =>
        rate(second, second + 1),
      ).join(' ');
      process.stderr.write(
        `outage (${how}): before ${countBefore}, most open batches ${batchesMax}, first after ${Math.round(firstAfterMs)} ms, all after ${Math.round(allAfterMs)} ms, answers ${JSON.stringify([...figures.answers])}, slowest ${Math.round(figures.slowestAnswerMs)} ms\nper second: ${perSecond}\n`,
      );
    }
    // There are runs to count; none may be open if a token lookup failed at that time.
    expect(await countRuns(BATCHES)).toBeGreaterThan(0);
    expect(batchesMax).toBeLessThanOrEqual(64);
    await expectEachAccountOnce(stack, numbers, completed);
    while ((await openBatches()) > 0) await sleep(200);
  },
  240_000 + 2 * OUTAGE_MS,
);

async function readStatus(external: string): Promise<number> {
  const url = `${stack.url}/v1/data-import/account-transfer-status/SUPPLIER_FR/${external}/`;
  const answer = await fetch(url, { headers: { authorization: `Token ${stack.token}` } });
  await answer.arrayBuffer();
  return answer.status;
}

/**
 * Kills Postgres, or freezes all its processes so that it neither answers nor disconnects; returns how to bring it
 * back.
 */
async function stopPostgres(how: 'killed' | 'frozen'): Promise<() => Promise<void>> {
  if (how === 'killed') {
    await stack.kill('postgres');
    return () => stack.start('postgres');
  }
  const { pid } = stack.process('postgres');
  const backends = (await stack.query<{ pid: number }>('select pid from pg_stat_activity')).map((row) => row.pid);
  const signal = (name: NodeJS.Signals) => {
    for (const one of [pid, ...backends]) {
      try {
        process.kill(one, name);
      } catch {
        // A backend that has ended meanwhile.
      }
    }
  };
  signal('SIGSTOP');
  return async () => {
    signal('SIGCONT');
  };
}

const usable = { status: 200, body: { mandates: { id: 'MD', status: 'active' } } };
const usableTo = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(usable.body));
/** Makes the vendor delay its responses from now on; resolves with that to the next call. */
const heldAnswer = () => new Promise<ServerResponse>((resolve) => vendor.answerWith(resolve));
const callsAbout = (reference: string) => vendor.seen.filter(({ url }) => url === `/mandates/${reference}`).length;

async function create(
  external: string,
  reference: string,
  signal?: AbortSignal,
): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${stack.url}/v1/data-import/payment-instruction/create/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Token ${stack.token}` },
    body: JSON.stringify({
      import_supplier: 'SUPPLIER_FR',
      external_account_number: external,
      vendor: 'GOCARDLESS',
      reference,
      type: 'DIRECT_DEBIT',
    }),
    ...(signal ? { signal } : {}),
  });
  return { status: answer.status, body: await answer.json() };
}

/** How often a reference was stored as verified. */
const stored = async (reference: string) =>
  (await stack.query('select 1 from payment_instruction where reference = $1 and verified_at is not null', [reference]))
    .length;
const pendingVerifications = () =>
  stack.query(`select workflow_id from work_item where kind = 'verify-payment-instruction'`);

test('repeats a call once after its timeout when the worker is killed during it, and stores the result once', async () => {
  const vendorCalled = heldAnswer();
  const first = create(accounts[0]!, 'MD-WORKER');
  const held = await vendorCalled;
  await stack.kill('worker');
  vendor.answerWith(usable);
  usableTo(held);
  expect(await first).toMatchObject({ status: 500, body: { code: 'payment_vendor_unavailable' } });
  await stack.start('worker');
  await until(async () => (await stored('MD-WORKER')) > 0, 200);
  expect(await create(accounts[0]!, 'MD-WORKER')).toMatchObject({ status: 201, body: { reference: 'MD-WORKER' } });
  expect([callsAbout('MD-WORKER'), await stored('MD-WORKER'), await pendingVerifications()]).toEqual([2, 1, []]);
});

test("stores the result when the API is killed during the vendor's call, and returns it to the same request", async () => {
  const vendorCalled = heldAnswer();
  const lost = create(accounts[1]!, 'MD-API').then(
    () => 'answered',
    () => 'lost',
  );
  const held = await vendorCalled;
  await stack.kill('api');
  expect(await lost).toBe('lost');
  usableTo(held);
  await until(async () => (await stored('MD-API')) === 1, 200);
  await stack.start('api');
  await stack.ready();
  expect((await create(accounts[1]!, 'MD-API')).status).toBe(201);
  expect([callsAbout('MD-API'), await stored('MD-API'), await pendingVerifications()]).toEqual([1, 1, []]);
});

test('answers 500 that the verification continues while Temporal is down, and completes it after recovery without another request', async () => {
  vendor.answerWith(usable);
  await stack.kill('temporal');
  const answer = await create(accounts[2]!, 'MD-TEMPORAL');
  expect(answer).toMatchObject({
    status: 500,
    body: { code: 'payment_vendor_unavailable', detail: expect.stringContaining('The verification continues') },
  });
  expect(await pendingVerifications()).toHaveLength(1);
  await stack.start('temporal');
  await stack.ready();
  await until(async () => (await stored('MD-TEMPORAL')) === 1, 500);
  expect(await create(accounts[2]!, 'MD-TEMPORAL')).toMatchObject({ status: 201 });
  expect([callsAbout('MD-TEMPORAL'), await stored('MD-TEMPORAL'), await pendingVerifications()]).toEqual([1, 1, []]);
});

test("stores the result after recovery when Postgres is killed during the vendor's call, without a second call", async () => {
  const vendorCalled = heldAnswer();
  const first = create(accounts[3]!, 'MD-POSTGRES');
  const held = await vendorCalled;
  await stack.kill('postgres');
  usableTo(held);
  expect((await first).status).toBe(500);
  await stack.start('postgres');
  await until(async () => (await stored('MD-POSTGRES').catch(() => 0)) === 1, 200);
  expect([callsAbout('MD-POSTGRES'), await stored('MD-POSTGRES'), await pendingVerifications()]).toEqual([1, 1, []]);
});

test(
  'keeps memory flat and calls bounded by breaker and backoff while the vendor is down, and completes all afterwards',
  async () => {
    const waiting = accounts.slice(10);
    vendor.answerWith((response) => {
      response.destroy();
    });
    const callsBefore = vendor.seen.length;
    const awayAt = performance.now();
    const answers = await Promise.all(waiting.map((external, index) => create(external, `MD-AWAY-${index}`)));
    const codes = answers.map(({ status, body }) => `${status} ${body.code}`);
    expect(codes).toEqual(waiting.map(() => '500 payment_vendor_unavailable'));
    expect(await pendingVerifications()).toHaveLength(waiting.length);
    const memoryBefore = residentMb();
    await sleep(Math.max(0, AWAY_MS - (performance.now() - awayAt)));
    const memoryAfter = residentMb();
    const calls = vendor.seen.length - callsBefore;
    vendor.answerWith(usable);
    const backAt = performance.now();
    await until(async () => (await pendingVerifications()).length === 0, 500);
    const completedMs = performance.now() - backAt;
    if (process.env['FIGURES']) {
      process.stderr.write(
        `vendor away for ${Math.round(AWAY_MS / 1_000)} s with ${waiting.length} waiting: ${calls} calls meanwhile, answers ${JSON.stringify(Object.entries(Object.groupBy(codes, (code) => code)).map(([code, all]) => [code, all!.length]))}, all completed ${Math.round(completedMs)} ms after, memory of worker and api ${memoryBefore} -> ${memoryAfter} MB, calls in all ${vendor.seen.length - callsBefore}\n`,
      );
    }
    // Five failures open the breaker, together with concurrent calls; then there is one call in ten seconds.
    expect(calls).toBeLessThanOrEqual(5 + 12 + Math.ceil(AWAY_MS / 10_000) + 1);
    for (const [index, before] of memoryBefore.entries()) expect(memoryAfter[index]! - before).toBeLessThan(60);
    const { length: rows } = await stack.query(
      `select 1 from payment_instruction where reference like 'MD-AWAY-%' and verified_at is not null`,
    );
    expect(rows).toBe(waiting.length);
    expect((await create(waiting[0]!, 'MD-AWAY-0')).status).toBe(201);
  },
  300_000 + 2 * AWAY_MS,
);

function residentMb(): number[] {
  return (['worker', 'api'] as const).map((part) =>
    Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${stack.process(part).pid}/status`, 'utf8'))?.[1]) / 1_024,
    ),
  );
}
