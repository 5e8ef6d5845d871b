import type { ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startCannedVendor, type CannedVendor } from '../support/canned-vendor.ts';
import { until } from '../support/until.ts';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, type Stack } from './stack.ts';

// Each part that operation 7 needs goes away while a verification is under way. By hand also with VENDOR_AWAY_SECONDS=120
// VENDOR_AWAY_REQUESTS=500 FIGURES=1.
const AWAY_MS = Number(process.env['VENDOR_AWAY_SECONDS'] ?? 12) * 1_000;
const WAITING = Number(process.env['VENDOR_AWAY_REQUESTS'] ?? 30);
const PATIENCE_MS = 2_000;

let vendor: CannedVendor;
let stack: Stack;
let accounts: string[];
beforeAll(async () => {
  vendor = await startCannedVendor();
  stack = await startStack({
    GOCARDLESS_URL: vendor.url,
    GOCARDLESS_ACCESS_TOKEN: 'token',
    PAYMENT_PATIENCE_MS: String(PATIENCE_MS),
  });
  accounts = await stageAccounts(stack, 10 + WAITING);
  await createAccounts(stack, accounts, { clients: 16, pauseMs: 200 });
}, 240_000);
afterAll(async () => {
  await stack?.stop();
  await vendor?.stop();
});

const usable = { status: 200, body: { mandates: { id: 'MD', status: 'active' } } };
const usableTo = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(usable.body));
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
const owed = () => stack.query(`select workflow_id from work_item where kind = 'verify-payment-instruction'`);

test('the worker is killed while the vendor answers: asked once more after the attempt has timed out, stored once', async () => {
  let held: ServerResponse | undefined;
  vendor.answerWith((response) => {
    held = response;
  });
  const first = create(accounts[0]!, 'MD-WORKER');
  await until(() => held !== undefined);
  await stack.kill('worker');
  vendor.answerWith(usable);
  usableTo(held!);
  expect(await first).toMatchObject({ status: 500, body: { code: 'payment_vendor_unavailable' } });
  await stack.start('worker');
  await until(async () => (await stored('MD-WORKER')) > 0, 200);
  expect(await create(accounts[0]!, 'MD-WORKER')).toMatchObject({ status: 201, body: { reference: 'MD-WORKER' } });
  expect([callsAbout('MD-WORKER'), await stored('MD-WORKER'), await owed()]).toEqual([2, 1, []]);
});

test('the API is killed while the vendor answers: it is stored all the same, and the same request gets it', async () => {
  let held: ServerResponse | undefined;
  vendor.answerWith((response) => {
    held = response;
  });
  const lost = create(accounts[1]!, 'MD-API').then(
    () => 'answered',
    () => 'lost',
  );
  await until(() => held !== undefined);
  await stack.kill('api');
  expect(await lost).toBe('lost');
  usableTo(held!);
  await until(async () => (await stored('MD-API')) === 1, 200);
  await stack.start('api');
  await stack.ready();
  expect((await create(accounts[1]!, 'MD-API')).status).toBe(201);
  expect([callsAbout('MD-API'), await stored('MD-API'), await owed()]).toEqual([1, 1, []]);
});

test('Temporal is away: 503, and what was sent is verified after it without being sent again', async () => {
  vendor.answerWith(usable);
  await stack.kill('temporal');
  const answer = await create(accounts[2]!, 'MD-TEMPORAL');
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'service_unavailable', detail: expect.stringContaining('written down') },
  });
  // Answered while it is away: it is started only now.
  expect(await owed()).toHaveLength(1);
  await stack.start('temporal');
  await stack.ready();
  await until(async () => (await stored('MD-TEMPORAL')) === 1, 500);
  expect(await create(accounts[2]!, 'MD-TEMPORAL')).toMatchObject({ status: 201 });
  expect([callsAbout('MD-TEMPORAL'), await stored('MD-TEMPORAL'), await owed()]).toEqual([1, 1, []]);
});

test('Postgres is killed while the vendor answers: the answer is kept and written down when it is back, without asking again', async () => {
  let held: ServerResponse | undefined;
  vendor.answerWith((response) => {
    held = response;
  });
  const first = create(accounts[3]!, 'MD-POSTGRES');
  await until(() => held !== undefined);
  await stack.kill('postgres');
  usableTo(held!);
  expect((await first).status).toBe(500);
  await stack.start('postgres');
  await until(async () => (await stored('MD-POSTGRES').catch(() => 0)) === 1, 200);
  expect([callsAbout('MD-POSTGRES'), await stored('MD-POSTGRES'), await owed()]).toEqual([1, 1, []]);
});

test(
  'the vendor is away while many wait: memory flat, calls bounded by breaker and backoff, all completed after it',
  async () => {
    const waiting = accounts.slice(10);
    vendor.answerWith((response) => {
      response.destroy();
    });
    const callsBefore = vendor.seen.length;
    const awayAt = performance.now();
    const answers = await Promise.all(waiting.map((external, index) => create(external, `MD-AWAY-${index}`)));
    // So many starts at once may take Temporal longer than a caller is kept waiting for one; they are owed like the others.
    const codes = answers.map(({ status, body }) => `${status} ${body.code}`);
    expect(
      codes.filter((code) => code !== '500 payment_vendor_unavailable' && code !== '503 service_unavailable'),
    ).toEqual([]);
    expect(codes).toContain('500 payment_vendor_unavailable');
    expect(await owed()).toHaveLength(waiting.length);
    const memoryBefore = residentMb();
    await sleep(Math.max(0, AWAY_MS - (performance.now() - awayAt)));
    const memoryAfter = residentMb();
    const calls = vendor.seen.length - callsBefore;
    vendor.answerWith(usable);
    const backAt = performance.now();
    await until(async () => (await owed()).length === 0, 500);
    const completedMs = performance.now() - backAt;
    if (process.env['FIGURES']) {
      process.stderr.write(
        `vendor away for ${Math.round(AWAY_MS / 1_000)} s with ${waiting.length} waiting: ${calls} calls meanwhile, answers ${JSON.stringify(Object.entries(Object.groupBy(codes, (code) => code)).map(([code, all]) => [code, all!.length]))}, all completed ${Math.round(completedMs)} ms after, memory of worker and api ${memoryBefore} -> ${memoryAfter} MB, calls in all ${vendor.seen.length - callsBefore}\n`,
      );
    }
    // Five failures open the breaker, with those that were under way at once beside them; then one call in ten seconds.
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
