import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import type { AccountActivities } from '../../activities/account-import/create-from-staged.activities.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { until } from '../support/until.ts';
import { accountHash } from '../../temporal.config.ts';
import { entriesOf, type Fakes, startFakes } from './fakes.ts';

let fakes: Fakes;
afterEach(async () => {
  await fakes.stop();
});

/** Calls of the activity, in their order. */
interface Call {
  entries: CreationEntry[];
  isLocal: boolean;
  attempt: number;
}

const created = (entry: CreationEntry): CreationOutcome => ({
  kind: 'created',
  serviceAccountNumber: `A-${entry.externalAccountNumber}`,
});
const away = () =>
  ApplicationFailure.create({ type: 'database_unavailable', message: 'The database cannot be reached (57P01).' });

async function start(
  createFromStaged: (call: Call) => Promise<CreationOutcome[]>,
  more: Partial<AccountActivities> = {},
): Promise<Call[]> {
  const calls: Call[] = [];
  fakes = await startFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    createFromStaged: async (entries) => {
      const call = { entries, isLocal: activityInfo().isLocal, attempt: activityInfo().attempt };
      calls.push(call);
      return createFromStaged(call);
    },
    ...more,
  });
  return calls;
}

/** Summary of the regular activity, as the web UI shows it. */
async function summaryOf(handle: { fetchHistory(): Promise<{ events?: any[] | null }> }): Promise<string> {
  const { events } = await handle.fetchHistory();
  const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes);
  return JSON.parse(Buffer.from(scheduled.userMetadata.summary.data).toString());
}

test('creates a batch with one local activity, in the order of its entries', async () => {
  const calls = await start(async ({ entries }) => entries.map(created));
  const entries = entriesOf(64);
  const handle = await fakes.startBatch(entries);
  expect(await handle.result()).toEqual(entries.map(created));
  expect(calls).toEqual([{ entries, isLocal: true, attempt: 1 }]);
});

test('runs no activity for an empty batch', async () => {
  const calls = await start(async () => []);
  expect(await (await fakes.startBatch([])).result()).toEqual([]);
  expect(calls).toEqual([]);
});

test('waits as one activity while the database is unavailable, with accounts in its summary and the reason in its failure', async () => {
  let isBack = false;
  const calls = await start(async ({ entries }) => {
    if (!isBack) throw away();
    return entries.map(created);
  });
  const entries = entriesOf(6, (index) => `ACCOUNT-${index}`);
  const handle = await fakes.startBatch(entries);
  await until(async () => (await handle.describe()).raw.pendingActivities?.[0]?.attempt === 3);
  const { raw } = await handle.describe();
  expect(raw.pendingActivities).toMatchObject([
    { activityType: { name: 'createFromStaged' }, lastFailure: { message: 'The database cannot be reached (57P01).' } },
  ]);
  expect(await summaryOf(handle)).toBe('Waits for the database: ACCOUNT-0, ACCOUNT-1, ACCOUNT-2, ACCOUNT-3 and 2 more');
  isBack = true;
  expect(await handle.result()).toEqual(entries.map(created));
  expect(calls.map(({ isLocal }) => isLocal)).toEqual([true, ...Array(calls.length - 1).fill(false)]);
  for (const call of calls) expect(call.entries).toEqual(entries);
});

test('lists all accounts in the details of a waiting batch, and is found by supplier, status and account', async () => {
  let isBack = false;
  await start(async ({ entries }) => {
    if (!isBack) throw away();
    return entries.map(created);
  });
  const supplier = `SUPPLIER_${randomUUID()}`;
  const entries = entriesOf(64, (index) => `${'N'.repeat(240)}-${index}`).map((entry) => ({
    ...entry,
    importSupplier: supplier,
  }));
  const handle = await fakes.startBatch(entries);
  const find = async (query: string) => {
    const found: string[] = [];
    for await (const { workflowId } of fakes.client.workflow.list({ query })) found.push(workflowId);
    return found;
  };
  for (const query of [
    `ImportSupplier = "${supplier}"`,
    `ImportSupplier = "${supplier}" AND ImportStatus = "WAITING" AND ExecutionStatus = "Running"`,
    ...entries
      .slice(-2)
      .map(({ externalAccountNumber }) => `ImportAccounts = "${accountHash(supplier, externalAccountNumber)}"`),
  ]) {
    await until(async () => (await find(query)).length > 0);
    expect(await find(query)).toEqual([handle.workflowId]);
  }
  expect(await find(`ImportAccounts = "${accountHash('OTHER', entries[0]!.externalAccountNumber)}"`)).toEqual([]);
  const { currentDetails: details } = await handle.query<{ currentDetails: string }, []>(
    '__temporal_workflow_metadata',
  );
  expect(details).toContain('64 accounts of');
  expect(details).toContain('choose "Reset"');
  for (const { externalAccountNumber } of entries) expect(details).toContain(`\n    ${externalAccountNumber}`);
  isBack = true;
  expect(await handle.result()).toHaveLength(64);
});

test('keeps the summary within the limit of the server for the longest account numbers', async () => {
  const calls = await start(async ({ entries, isLocal }) => {
    if (isLocal) throw away();
    return entries.map(created);
  });
  const entries = entriesOf(64, (index) => `${'€'.repeat(125)}${index}`);
  const handle = await fakes.startBatch(entries);
  expect(await handle.result()).toHaveLength(64);
  expect(await summaryOf(handle)).toMatch(/^Waits for the database: €{24}, .* and 60 more$/);
  expect(calls).toHaveLength(2);
});

test('abandons a hanging first attempt after five seconds, and continues with the same batch', async () => {
  const hanging = Promise.withResolvers<void>();
  const calls = await start(async ({ entries, isLocal }) => {
    if (isLocal) await hanging.promise;
    return entries.map(created);
  });
  const entries = entriesOf(2);
  const handle = await fakes.startBatch(entries);
  expect(await handle.result()).toEqual(entries.map(created));
  expect(calls.map(({ isLocal }) => isLocal)).toEqual([true, false]);
  hanging.resolve();
});

test('starts a separate workflow for a quarantined account, and ends without waiting for it', async () => {
  const mended = Promise.withResolvers<void>();
  await start(
    async ({ entries }) =>
      entries.map((entry, index): CreationOutcome => (index === 1 ? { kind: 'quarantined' } : created(entry))),
    {
      createAlone: async (entry) => {
        await mended.promise;
        return created(entry);
      },
    },
  );
  const entries = entriesOf(3);
  const poison = entries[1] as CreationEntry;
  const handle = await fakes.startBatch(entries);
  expect(await handle.result()).toEqual([created(entries[0]!), { kind: 'quarantined' }, created(entries[2]!)]);

  const alone = await fakes.alone(poison).describe();
  expect({
    id: alone.workflowId,
    type: alone.type,
    status: alone.status.name,
    summary: await alone.staticSummary(),
  }).toEqual({
    id: `create-account/ACME/${poison.externalAccountNumber}`,
    type: 'createAccount',
    status: 'RUNNING',
    summary: 'One account of ACME that the database refuses, or that takes too long',
  });
  expect(
    ['ImportKind', 'ImportSupplier'].map((name) =>
      alone.typedSearchAttributes.get(defineSearchAttributeKey(name, 'KEYWORD')),
    ),
  ).toEqual(['create-account', 'ACME']);
  mended.resolve();
  expect(await fakes.alone(poison).result()).toEqual(created(poison));
});

test('joins the running workflow of a quarantined account', async () => {
  const mended = Promise.withResolvers<void>();
  await start(async ({ entries }) => entries.map((): CreationOutcome => ({ kind: 'quarantined' })), {
    createAlone: async (entry) => {
      await mended.promise;
      return created(entry);
    },
  });
  const [first] = entriesOf(1) as [CreationEntry];
  const { runId } = await (await fakes.startSingle(first)).describe();
  const again = { ...first, creationId: randomUUID() };
  expect(await (await fakes.startBatch([again])).result()).toEqual([{ kind: 'quarantined' }]);
  expect((await fakes.alone(first).describe()).runId).toBe(runId);
  mended.resolve();
  expect(await fakes.alone(first).result()).toEqual(created(first));
});

test('returns a refusal as an outcome', async () => {
  const refused: CreationOutcome = { kind: 'refused', code: 'import_process_marked_to_skip' };
  await start(async () => [refused]);
  expect(await (await fakes.startBatch(entriesOf(1))).result()).toEqual([refused]);
});

const timedOut = () =>
  ApplicationFailure.create({
    type: 'database_timed_out',
    message: 'The database did not finish within our timeout (57014).',
    nonRetryable: true,
  });

test('splits a slow batch into four parts, recursively; a single account gets more time, or is quarantined', async () => {
  const entries = entriesOf(9, (index) => (index === 6 ? 'HUGE' : index === 7 ? 'LARGE' : `SMALL-${index}`));
  const parts: string[][] = [];
  const heavy = (part: CreationEntry[]) =>
    part.some(({ externalAccountNumber }) => externalAccountNumber === 'HUGE' || externalAccountNumber === 'LARGE');
  await start(
    async ({ entries: batch }) => {
      if (heavy(batch)) throw timedOut();
      return batch.map(created);
    },
    {
      createPart: async (part) => {
        parts.push(part.map(({ externalAccountNumber }) => externalAccountNumber));
        if (heavy(part)) throw timedOut();
        return part.map(created);
      },
      createWithMoreTime: async (entry) =>
        entry.externalAccountNumber === 'HUGE' ? { kind: 'quarantined' } : created(entry),
      createAlone: async (entry) => created(entry),
    },
  );
  const handle = await fakes.startBatch(entries);
  expect(await handle.result()).toEqual(
    entries.map((entry) => (entry.externalAccountNumber === 'HUGE' ? { kind: 'quarantined' } : created(entry))),
  );
  expect(parts).toEqual([
    ['SMALL-0', 'SMALL-1', 'SMALL-2'],
    ['SMALL-3', 'SMALL-4', 'SMALL-5'],
    ['HUGE', 'LARGE', 'SMALL-8'],
  ]);
  expect(await fakes.alone(entries[6]!).result()).toEqual(created(entries[6]!));
  expect(await summaryOf(handle)).toBe('Takes long: SMALL-0, SMALL-1, SMALL-2');
});

test('splits a batch that times out after waiting for the database', async () => {
  await start(
    async ({ isLocal }) => {
      throw isLocal ? away() : timedOut();
    },
    { createWithMoreTime: async (entry) => created(entry) },
  );
  const entries = entriesOf(2);
  expect(await (await fakes.startBatch(entries)).result()).toEqual(entries.map(created));
});
