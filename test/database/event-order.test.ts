import { afterAll, expect, test } from '@jest/globals';
import { cursorIn, cursorAfter, type StoredEvent } from '../../src/events/event.rules.ts';
import { keepEvents, writeEvents } from '../../src/events/index.ts';
import { readEvents, sequenceEvents } from '../../src/events/event.store.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { makeMonthPartitions } from '../../src/platform/database/month-partitions.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { randomOf } from '../support/account-variants.ts';

const clone = await createTestDatabase();
const log = createLog({ level: 'silent', process: 'test' });
const database = await openDatabase({ url: clone.url, entities, poolSize: 12, log, applicationName: 'test' });
await database.pool.query(`insert into import_supplier (code, name) values ('ONE', 'One'), ('TWO', 'Two')`);
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const viewer = { organisation: 'Ours', importSuppliers: new Set(['ONE', 'TWO']) };
const created = (importSupplier: string, subject: string, data: Record<string, string> = {}) =>
  ({ importSupplier, type: 'import.account.created.v1', subject, data }) as const;

/** Reads the events after a cursor, as a supplier does. */
async function readOn(after: StoredEvent | undefined, limit = 3): Promise<StoredEvent[]> {
  await sequenceEvents(database, 1);
  const read = await readEvents(database, viewer, after && cursorIn(cursorAfter(after)), limit);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

test('reads events next that commit after later events were read', async () => {
  const late = await database.pool.connect();
  await late.query('begin');
  await late.query(
    `insert into event_outbox (import_supplier, type, subject, data) values ('ONE', 'batch.completed.v1', 'batches/late', '{}')`,
  );
  await writeEvents(database, [created('ONE', 'accounts/1'), created('TWO', 'accounts/2')]);
  const early = await readOn(undefined);
  expect(early.map(({ subject }) => subject)).toEqual(['accounts/1', 'accounts/2']);
  expect(await readOn(early.at(-1))).toEqual([]);
  await late.query('commit');
  late.release();
  expect((await readOn(early.at(-1))).map(({ subject }) => subject)).toEqual(['batches/late']);
});

/**
 * Changes one of the subjects in a transaction that began before it acquired the subject's lock; some are rolled
 * back.
 */
async function changeSubject(random: () => number): Promise<string | undefined> {
  const subject = `accounts/S${Math.floor(random() * 4)}`;
  const isKept = random() > 0.2;
  return database.transaction(async (em) => {
    // Makes the order in which transactions begin to write differ from the order of the locks.
    await writeEvents(em, [created('TWO', 'accounts/first')]);
    await em.execute('select pg_sleep(?)', [random() / 300]);
    const [row] = await em.execute<{ value: string }[]>(
      `update counted set value = value + 1 where subject = ? returning value`,
      [subject],
    );
    await writeEvents(em, [created('ONE', subject, { n: `${row!.value}` })]);
    await em.execute('select pg_sleep(?)', [random() / 300]);
    if (isKept) return `${subject} ${row!.value}`;
    await em.rollback();
    return undefined;
  });
}

test('reads each event of many concurrent commits once, and those of a subject in order', async () => {
  await database.pool.query(
    `create table counted as select 'accounts/S' || n as subject, 0 as value from generate_series(0, 3) n`,
  );
  let last = (await readOn(undefined, 500)).at(-1);
  const read: StoredEvent[] = [];
  const random = randomOf(7);
  let isWriting = true;
  const readers = (async () => {
    for (let isOver = false; !isOver;) {
      // Read before the page is requested: an empty page that was requested earlier does not show later commits.
      const hadEnded = !isWriting;
      const page = await readOn(last, 5);
      read.push(...page);
      last = page.at(-1) ?? last;
      isOver = hadEnded && page.length === 0;
    }
  })();
  const changes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const done = [];
      for (let turn = 0; turn < 12; turn += 1) done.push(await changeSubject(random));
      return done;
    }),
  );
  isWriting = false;
  await readers;
  const kept = changes.flat().filter((one) => one !== undefined);
  const listed = read.filter(({ importSupplier }) => importSupplier === 'ONE');
  expect(listed).toHaveLength(kept.length);
  expect(read.length).toBe(2 * kept.length);
  for (const [subject, events] of Map.groupBy(listed, (event) => event.subject)) {
    expect([subject, events.map(({ data }) => Number(data['n']))]).toEqual([
      subject,
      events.map((_, index) => index + 1),
    ]);
  }
});

test('drops events with the partition of their month, and rejects a cursor before the last of them', async () => {
  await writeEvents(database, [created('ONE', 'accounts/old'), created('TWO', 'accounts/new')]);
  await sequenceEvents(database, 1);
  // A month has 10^12 positions.
  await database.pool.query(`update event set position = position - 3000000000000 where import_supplier = 'ONE'`);
  await makeMonthPartitions(database);
  const before = (await readEvents(database, viewer, undefined, 500)) as StoredEvent[];
  const gone = before.findLast(({ importSupplier }) => importSupplier === 'ONE')!;
  await keepEvents(database, { EVENTS_KEPT_DAYS: 365 })();
  expect(await readEvents(database, viewer, undefined, 500)).toEqual(before);
  await keepEvents(database, { EVENTS_KEPT_DAYS: 30 })();
  const left = (await readEvents(database, viewer, undefined, 500)) as StoredEvent[];
  expect(left.length).toBeGreaterThan(0);
  expect(left).toEqual(before.filter(({ importSupplier }) => importSupplier === 'TWO'));
  expect(await readEvents(database, viewer, cursorIn(cursorAfter(before[0]!)), 5)).toBe('past');
  expect(await readOn(gone)).toEqual(left.slice(0, 3));
  expect(await readEvents(database, viewer, { position: gone.position.concat('0'), mark: '00000000' }, 5)).toBe(
    'unknown',
  );
});
