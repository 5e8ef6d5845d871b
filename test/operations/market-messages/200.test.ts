import { afterAll, expect, test } from '@jest/globals';
import type { MarketMessageSent } from '../../../src/switching/market-message.schema.ts';
import { storeMessages } from '../../../src/switching/market-message.store.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { inDays, message, switchTestOf } from '../../support/switching.ts';

// Without an address of the industry switch only messages change states.
const service = await startService({ worker: true });
afterAll(() => service.stop());
const tests = await switchTestOf(service);

const results = async (...messages: object[]) =>
  (await tests.send(...messages)).body.results.map(({ status }: any) => status);
const effects = async (external: string) =>
  (await tests.view(external)).market_messages.map(({ outcome, effect }: any) => `${outcome} ${effect}`);
const at = (minute: number) => ({ occurred_at: `2026-11-20T08:${String(minute).padStart(2, '0')}:00Z` });

test('moves an account from PENDING to COMPLETED, and back from REJECTED', async () => {
  await tests.create('WAY-1', ['21000000000001']);
  expect(await tests.send(message('WAY-1', 'ACCEPTED', at(1)))).toMatchObject({
    status: 200,
    body: { results: [{ status: 'MESSAGE_STORED' }] },
  });
  await tests.become('WAY-1', 'IN_PROGRESS');
  await tests.send(message('WAY-1', 'REJECTED', { ...at(2), reason: 'no signature' }));
  await tests.become('WAY-1', 'REJECTED');
  await tests.send(message('WAY-1', 'ACCEPTED', at(3)));
  await tests.become('WAY-1', 'IN_PROGRESS');
  await tests.send(message('WAY-1', 'COMPLETED', at(4)));
  await tests.become('WAY-1', 'COMPLETED');
  const { switch_history: history } = await tests.view('WAY-1');
  expect(history.map(({ from, to, reason }: any) => [from, to, reason])).toEqual([
    ['PENDING', 'IN_PROGRESS', null],
    ['IN_PROGRESS', 'REJECTED', 'no signature'],
    ['REJECTED', 'IN_PROGRESS', null],
    ['IN_PROGRESS', 'COMPLETED', null],
  ]);
  expect(history[0]).toMatchObject({
    supply_point_identifier: '21000000000001',
    by: 'message',
    at: expect.stringMatching(/Z$/),
    message_id: expect.any(String),
  });
});

test('moves each point separately, and the account with them', async () => {
  const points = ['22000000000001', '22000000000002'] as const;
  await tests.create('TWO-1', points);
  const of = (index: 0 | 1) => ({ supply_point_identifier: points[index] });
  await tests.send(
    message('TWO-1', 'ACCEPTED', { ...of(0), ...at(1) }),
    message('TWO-1', 'COMPLETED', { ...of(0), ...at(2) }),
  );
  // One is completed, the other has not begun.
  await until(async () => (await effects('TWO-1')).every((effect: string) => effect.endsWith('moved')));
  expect(await tests.status('TWO-1')).toBe('IN_PROGRESS');
  await tests.send(
    message('TWO-1', 'ACCEPTED', { ...of(1), ...at(3) }),
    message('TWO-1', 'REJECTED', { ...of(1), ...at(4) }),
  );
  await tests.become('TWO-1', 'REJECTED');
  await tests.send(
    message('TWO-1', 'ACCEPTED', { ...of(1), ...at(5) }),
    message('TWO-1', 'COMPLETED', { ...of(1), ...at(6) }),
  );
  await tests.become('TWO-1', 'COMPLETED');
});

test('leads messages in reverse order to the same state as in order', async () => {
  await tests.create('ORDER-1', ['23000000000001']);
  const [accepted, completed] = [message('ORDER-1', 'ACCEPTED', at(1)), message('ORDER-1', 'COMPLETED', at(2))];
  await tests.send(completed);
  await until(async () => (await effects('ORDER-1'))[0] === 'COMPLETED fits-nothing');
  expect(await tests.status('ORDER-1')).toBe('PENDING');
  const [waits] = await tests.stuck('ORDER-1', 1);
  expect(waits).toMatchObject({
    kind: 'market-message',
    accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: 'ORDER-1' }],
    last_failure: { type: 'market_message_fits_nothing', message: 'COMPLETED does not follow PENDING.' },
    what_to_do: expect.stringContaining('A message may be missing'),
  });
  await tests.send(accepted);
  await tests.become('ORDER-1', 'COMPLETED');
  expect(await effects('ORDER-1')).toEqual(['ACCEPTED moved', 'COMPLETED moved']);
  await tests.stuck('ORDER-1', 0);
});

test('stores a message once by its id, and rejects other content with a used id', async () => {
  await tests.create('TWICE-1', ['24000000000001']);
  const accepted = message('TWICE-1', 'ACCEPTED', at(1));
  expect(await results(accepted, accepted)).toEqual(['MESSAGE_STORED', 'MESSAGE_ALREADY_KNOWN']);
  await tests.become('TWICE-1', 'IN_PROGRESS');
  expect(await Promise.all(Array.from({ length: 10 }, () => results(accepted)))).toEqual(
    Array.from({ length: 10 }, () => ['MESSAGE_ALREADY_KNOWN']),
  );
  expect(await results({ ...accepted, outcome: 'REJECTED' })).toEqual(['MESSAGE_DIFFERS']);
  expect(await effects('TWICE-1')).toEqual(['ACCEPTED moved']);
  expect((await tests.view('TWICE-1')).switch_history).toHaveLength(1);
});

test('stores each message once for ten concurrent senders', async () => {
  await tests.create('RACE-1', ['25000000000001']);
  const messages = ['ACCEPTED', 'COMPLETED'].map((outcome, index) => message('RACE-1', outcome, at(index)));
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, index) => results(...(index % 2 ? messages : messages.toReversed()))),
  );
  expect(all.flat().filter((status) => status === 'MESSAGE_STORED')).toHaveLength(2);
  await tests.become('RACE-1', 'COMPLETED');
});

test.each<[string, string[], string]>([
  ['COMPLETED where nothing was accepted', ['COMPLETED'], 'PENDING'],
  ['COMPLETED after a rejection', ['ACCEPTED', 'REJECTED', 'COMPLETED'], 'REJECTED'],
  ['ACCEPTED after completion', ['ACCEPTED', 'COMPLETED', 'ACCEPTED'], 'COMPLETED'],
  ['REJECTED after completion', ['ACCEPTED', 'COMPLETED', 'REJECTED'], 'COMPLETED'],
])('stores and lists %s, and changes nothing', async (_what, outcomes, status) => {
  const external = `ILLEGAL-${outcomes.join('-')}`;
  await tests.create(external, ['26000000000001']);
  await tests.send(...outcomes.map((outcome, index) => message(external, outcome, at(index))));
  await until(async () => (await effects(external)).at(-1) === `${outcomes.at(-1)} fits-nothing`);
  expect(await tests.status(external)).toBe(status);
  const [waits] = await tests.stuck(external, 1);
  expect(waits).toMatchObject({
    kind: 'market-message',
    last_failure: { message: `${outcomes.at(-1)} does not follow ${status}.` },
  });
  // The next round changes nothing.
  expect((await tests.operate('POST', `stuck/${waits.id}/retry/`)).body).toMatchObject({ outcome: 'workflow_started' });
  // Once dismissed it is neither pending nor counted, and stays in the audit and in the view.
  const id = (await tests.view(external)).market_messages.at(-1).message_id;
  expect(await tests.operate('DELETE', `market-messages/${id}/`, { reason: 'operator was wrong' })).toMatchObject({
    status: 200,
    body: { message_id: id, effect: 'set-aside' },
  });
  await tests.stuck(external, 0);
  expect((await tests.operate('GET', `audit/?subject=market-messages/${id}`)).body).toMatchObject([
    { action: 'market_message.set_aside', reason: 'operator was wrong' },
  ]);
  expect(await effects(external)).toContain(`${outcomes.at(-1)} set-aside`);
});

test('keeps a message for an unknown account, and applies it when the account is created', async () => {
  expect(await results(message('EARLY-1', 'ACCEPTED', at(1)))).toEqual(['MESSAGE_STORED']);
  const [waits] = await tests.stuck('EARLY-1', 1);
  expect(waits).toMatchObject({
    kind: 'market-message',
    last_failure: { type: 'market_message_unknown_account' },
    what_to_do: expect.stringContaining('created later'),
  });
  expect((await tests.operate('POST', `stuck/${waits.id}/retry/`)).body).toMatchObject({ outcome: 'unchanged' });
  await tests.create('EARLY-1', [['27000000000001', inDays(90)]]);
  // Its day is far away, but it was signalled.
  await tests.dispatch();
  await tests.become('EARLY-1', 'IN_PROGRESS');
  await tests.stuck('EARLY-1', 0);
});

test('matches a message in the next round that was stored while its account was created; lists one for no account', async () => {
  const [both, nobody] = [
    message('MEANWHILE-1', 'ACCEPTED', at(1)),
    message('NOBODY-1', 'ACCEPTED', at(1)),
  ] as MarketMessageSent[];
  await service.database.transaction(async (em) => {
    await storeMessages(em, [both!, nobody!]);
    await tests.create('MEANWHILE-1', [['27000000000002', inDays(90)]]);
    // So that only this test's round runs.
    await service.stopWorker();
  });
  expect(await effects('MEANWHILE-1')).toEqual(['ACCEPTED unknown-account']);
  await tests.dispatch();
  expect(await effects('MEANWHILE-1')).toEqual(['ACCEPTED waiting']);
  await service.startWorker();
  await tests.become('MEANWHILE-1', 'IN_PROGRESS');
  expect(await effects('MEANWHILE-1')).toEqual(['ACCEPTED moved']);
  await tests.stuck('MEANWHILE-1', 0);
  expect(await tests.stuck('NOBODY-1', 1)).toMatchObject([
    { kind: 'market-message', last_failure: { type: 'market_message_unknown_account' } },
  ]);
});

test('matches a message that arrived before an account without points, and reports the missing point', async () => {
  await tests.send(message('POINTLESS-1', 'ACCEPTED', at(1)));
  await tests.create('POINTLESS-1', []);
  await tests.dispatch();
  await until(async () => (await effects('POINTLESS-1'))[0] === 'ACCEPTED unknown-point');
});

test('keeps and lists a message for a point that the account does not have, without effect', async () => {
  await tests.create('STRANGE-1', ['28000000000001']);
  await tests.send(message('STRANGE-1', 'ACCEPTED', { supply_point_identifier: '28999999999999' }));
  await until(async () => (await effects('STRANGE-1'))[0] === 'ACCEPTED unknown-point');
  expect(await tests.status('STRANGE-1')).toBe('PENDING');
  const [waits] = await tests.stuck('STRANGE-1', 1);
  expect(waits).toMatchObject({
    last_failure: { type: 'market_message_unknown_point' },
    message_id: expect.any(String),
  });
  expect(waits.what_to_do).toContain(`DELETE market-messages/${encodeURIComponent(waits.message_id)}/`);
});

test('moves the right account after a message for a wrong one was assigned to it', async () => {
  await tests.create('ASSIGNED-1', ['27000000000001']);
  await tests.send(message('MISSPELT-1', 'ACCEPTED', { message_id: 'MISSPELT' }));
  await until(async () => (await tests.operate('GET', 'market-messages/MISSPELT/')).body.effect === 'unknown-account');
  const order = { import_supplier: 'SUPPLIER_FR', external_account_number: 'ASSIGNED-1', reason: 'misspelt' };
  expect(await tests.operate('POST', 'market-messages/MISSPELT/assign/', order)).toMatchObject({ status: 200 });
  await tests.become('ASSIGNED-1', 'IN_PROGRESS');
  expect(await tests.operate('POST', 'market-messages/MISSPELT/assign/', order)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});

test('keeps all messages while Temporal has no worker', async () => {
  await tests.create('LATER-1', ['29000000000001']);
  await service.stopWorker();
  await tests.send(message('LATER-1', 'ACCEPTED', at(1)));
  expect(await tests.status('LATER-1')).toBe('PENDING');
  await service.startWorker();
  await tests.become('LATER-1', 'IN_PROGRESS');
});

test('accepts a list of a thousand in one request, and lets the dispatcher signal the remaining runs', async () => {
  const messages = Array.from({ length: 1_000 }, (_, index) => message(`BULK-${index}`, 'ACCEPTED'));
  const before = performance.now();
  expect((await results(...messages)).filter((status: string) => status === 'MESSAGE_STORED')).toHaveLength(1_000);
  if (process.env['FIGURES']) {
    process.stderr.write(`1,000 market messages in one request: ${Math.round(performance.now() - before)} ms\n`);
  }
  await service.database.pool.query(`delete from market_message where external_account_number like 'BULK-%'`);
});
