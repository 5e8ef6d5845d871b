import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { switchPageBudget, workflowIds } from '../../temporal.config.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { signalWork } from '../../src/platform/work-items/work-item.store.ts';
import { switchWorkItem } from '../../src/switching/index.ts';
import {
  advanceAlone,
  applyMessages,
  beginRequests,
  endPages,
  endRequests,
  readPending,
  type RequestPage,
} from '../../src/switching/switch-page.store.ts';
import { recordUnreachable } from '../../src/switching/switch-step.store.ts';
import { startService } from '../support/harness.ts';
import { inDays, message, switchTestOf } from '../support/switching.ts';

// Pages without their run: nothing else works on these accounts.

const service = await startService({ worker: true });
afterAll(() => service.stop());
const tests = await switchTestOf(service);
const { database } = service;
const query = (text: string, values: unknown[] = []) => database.pool.query(text, values);
const context = { leadDays: 0, canRequest: true };
const inTransaction: Database['transaction'] = (work) => database.transaction(work);

beforeEach(() => query('delete from work_item'));

const begin = (size = 200, budget = {}) =>
  inTransaction((em) => beginRequests(em, context, { ...switchPageBudget, ...budget }, size));
const messages = () => inTransaction((em) => applyMessages(em, context, switchPageBudget));
const end = (page: RequestPage, answer: 'ACCEPTED' | 'RECEIVED' = 'ACCEPTED') =>
  inTransaction((em) =>
    endRequests(em, context, switchPageBudget, {
      accountNumbers: page.accountNumbers,
      answers: page.requests.map(({ requestId }) => ({ requestId, answer, answeredAt: new Date(), reason: null })),
      failures: [],
    }),
  );
async function itemOf(number: string): Promise<{ state: string | null; hours: number; alone: boolean } | undefined> {
  const { rows } = await query(
    'select state, round(extract(epoch from start_at - now()) / 3600)::integer as hours, runs_alone as alone from work_item where workflow_id = $1',
    [workflowIds.switchSupplier(number)],
  );
  return rows[0];
}
const update = (set: string, number: string) =>
  query(`update work_item set ${set} where workflow_id = $1`, [workflowIds.switchSupplier(number)]);

let points = 31_000_000_000_000;
/** An account with a point that is due now. */
const dueAccount = async (external: string) => {
  const number = await tests.create(external, [[String((points += 1)), inDays(-1)]]);
  await update('start_at = now()', number);
  return number;
};

test('gives each import supplier the same share of a page', async () => {
  await query(
    `insert into import_supplier (code, name, status) values ('OTHER', 'Other', 'Ongoing') on conflict do nothing`,
  );
  await query(
    `insert into work_item (workflow_id, kind, input, start_at)
     select 'switch-supplier/' || s || n, 'switch-supplier', jsonb_build_object('accountNumber', s || n, 'importSupplier', s), now() - case s when 'OTHER' then interval '1 minute' else interval '1 hour' end
     from unnest(array['SUPPLIER_FR', 'OTHER']) s, generate_series(1, 100) n`,
  );
  // They have no account, so each item is complete when a page has claimed it.
  await begin(20);
  const { rows } = await query(
    `select input ->> 'importSupplier' as supplier, count(*)::integer from work_item group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { supplier: 'OTHER', count: 90 },
    { supplier: 'SUPPLIER_FR', count: 90 },
  ]);
});

test('requests an account once for concurrent pages, and again with the same id after the hold of a killed worker', async () => {
  const number = await dueAccount('CLAIM-1');
  const pages = await Promise.all([begin(), begin(), begin()]);
  expect(pages.flatMap(({ accountNumbers }) => accountNumbers)).toEqual([number]);
  expect((await begin()).requests).toEqual([]);
  await update('start_at = now(), held_until = now()', number);
  const again = await begin();
  expect(again.requests).toEqual(pages.flatMap(({ requests }) => requests));
  await end(again);
  // The first worker was only frozen.
  await end(pages.find(({ requests }) => requests.length > 0)!);
  expect(await tests.status('CLAIM-1')).toBe('IN_PROGRESS');
  expect((await tests.view('CLAIM-1')).switch_history).toHaveLength(1);
});

test('applies a message during a request, and leaves the account to the page that holds it', async () => {
  const number = await dueAccount('HELD-1');
  const page = await begin();
  await service.stopWorker();
  await tests.send(message('HELD-1', 'COMPLETED', { occurred_at: new Date(Date.now() + 5_000).toISOString() }));
  expect(await readPending(database, context)).toMatchObject({ isSignalled: true });
  await messages();
  // It does not fit yet, and the requests of the page are still unanswered.
  expect(await tests.status('HELD-1')).toBe('PENDING');
  expect((await begin()).requests).toEqual([]);
  await end(page);
  expect(await tests.status('HELD-1')).toBe('COMPLETED');
  expect(await itemOf(number)).toBeUndefined();
  await service.startWorker();
});

test('applies the answer to a request whose switch an operator has ended meanwhile', async () => {
  await dueAccount('ENDED-1');
  const page = await begin();
  await service.stopWorker();
  const path = 'account-import-processes/SUPPLIER_FR/ENDED-1/switch-status/';
  await tests.operate('PUT', path, { status: 'COMPLETED', reason: 'by phone' });
  await messages();
  await end(page);
  expect(await tests.status('ENDED-1')).toBe('COMPLETED');
  const effects = (await tests.view('ENDED-1')).market_messages.map(({ effect }: any) => effect);
  expect(effects).not.toContain('waiting');
  await service.startWorker();
});

test('lists a switch as silent after 30 days without a message, until the next message or retry', async () => {
  const number = await dueAccount('SILENT-1');
  await end(await begin());
  expect(await itemOf(number)).toMatchObject({ state: null, hours: 720 });
  // Claimed early, for example after a jump of the clock.
  await update('start_at = now()', number);
  await begin();
  expect(await itemOf(number)).toMatchObject({ state: null, hours: 720 });
  await query(`update switch_request set answered_at = now() - interval '31 days'`);
  await query(`update market_message set received_at = now() - interval '31 days'`);
  await update('start_at = now()', number);
  await begin();
  expect(await itemOf(number)).toMatchObject({ state: 'silent', hours: 720 });
  expect(await tests.stuck('SILENT-1', 1)).toMatchObject([{ last_failure: { type: 'industry_switch_silent' } }]);
  await inTransaction((em) => signalWork(em, [switchWorkItem(number, 'SUPPLIER_FR', 'SILENT-1')]));
  await messages();
  expect(await itemOf(number)).toMatchObject({ state: null, hours: 720 });
});

test('counts an answer without a decision as the last message', async () => {
  const number = await dueAccount('RECEIVED-1');
  await end(await begin(), 'RECEIVED');
  expect(await tests.status('RECEIVED-1')).toBe('PENDING');
  await update('start_at = now()', number);
  expect((await begin()).requests).toEqual([]);
  expect(await itemOf(number)).toMatchObject({ state: null, hours: 720 });
});

test('returns a switch with a run of its own to the pages when nothing is left to request', async () => {
  const number = await dueAccount('ALONE-1');
  await update('runs_alone = true, tries = 5', number);
  expect((await begin()).accountNumbers).toEqual([]);
  const step = () => inTransaction((em) => advanceAlone(em, number, 0));
  expect(await step()).toEqual({ kind: 'send' });
  expect(await itemOf(number)).toMatchObject({ alone: true, hours: 12 });
  await inTransaction((em) => recordUnreachable(em, number));
  expect(await itemOf(number)).toEqual({ alone: true, hours: 24, state: 'unreachable' });
  // Its day was moved.
  await query(
    `update account_supply_point set supply_start_date = current_date + 40 where account_id = (select id from account where number = $1)`,
    [number],
  );
  expect(await step()).toMatchObject({ kind: 'rest' });
  expect(await itemOf(number)).toMatchObject({ alone: false, state: null });
  // A late record of the former run has no effect.
  await inTransaction((em) => recordUnreachable(em, number));
  expect(await itemOf(number)).toMatchObject({ alone: false, state: null });
});

test('does not list a switch as unreachable that was signalled meanwhile', async () => {
  const number = await dueAccount('SIGNALLED-1');
  await update(`runs_alone = true, state = 'signalled'`, number);
  await inTransaction((em) => recordUnreachable(em, number));
  expect(await itemOf(number)).toMatchObject({ alone: true, state: 'signalled' });
});

test('ends the run of pages only if no switch is signalled or due soon', async () => {
  const ends = (canRequest = true) =>
    inTransaction((em) => endPages(em, { ...context, canRequest }, switchPageBudget.soonSeconds));
  expect(await ends()).toBeNull();
  const number = await dueAccount('SOON-1');
  expect(await ends()).toBe(0);
  await update(`start_at = now() + interval '30 seconds'`, number);
  expect(await ends()).toBeCloseTo(30, 0);
  // Without an address of the industry switch only messages are due.
  expect(await ends(false)).toBeNull();
  await update(`start_at = now() + interval '2 minutes'`, number);
  expect(await ends()).toBeNull();
  await update(`state = 'signalled'`, number);
  expect(await ends(false)).toBe(0);
});
