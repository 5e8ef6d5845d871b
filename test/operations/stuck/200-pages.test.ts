import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Answer, type Service } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const PENDING = 130;
const MESSAGES = 20;

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
  // Work items whose runs are lost, and messages of unknown accounts.
  await service.database.pool.query(
    `
    insert into work_item (workflow_id, kind, input, start_at, created_at)
    select 'create-account/SUPPLIER_FR/PAGES-' || n, 'create-account',
      jsonb_build_object('creationId', gen_random_uuid(), 'importSupplier', 'SUPPLIER_FR', 'externalAccountNumber', 'PAGES-' || n, 'operationsTeam', 'Migration'),
      now() + interval '1 hour', now() - interval '1 day' + (n / 10) * interval '1 second'
    from generate_series(1, $1::integer) n`,
    [PENDING],
  );
  const messages = Array.from({ length: MESSAGES }, (_, n) => ({
    message_id: `PAGES-M${n}`,
    import_supplier: 'SUPPLIER_FR',
    external_account_number: `PAGES-NOBODY-${n}`,
    outcome: 'ACCEPTED',
    occurred_at: '2026-11-20T08:00:00Z',
  }));
  await operate('POST', 'market-messages/', messages);
});
afterAll(async () => {
  await service.stop();
});

const operate = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body });

async function pages(query: Record<string, string> = {}): Promise<Answer['body'][]> {
  const found: Answer['body'][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { status, body } = await operate(
      'GET',
      `stuck/?${new URLSearchParams({ ...query, ...(cursor ? { cursor } : {}) })}`,
    );
    expect(status).toBe(200);
    found.push(body);
    cursor = body.next_cursor;
  }
  return found;
}

test('lists more than a page in pages, each item once, and counts all by cause', async () => {
  await until(async () => (await operate('GET', 'stuck/')).body.total === PENDING + MESSAGES, 1_000);
  const found = await pages();
  expect(found.map(({ stuck, complete }) => [stuck.length, complete])).toEqual([
    [100, false],
    [50, true],
  ]);
  const ids = found.flatMap(({ stuck }) => stuck.map(({ id }: { id: string }) => id));
  expect(new Set(ids).size).toBe(PENDING + MESSAGES);
  for (const page of found) {
    expect(page).toMatchObject({
      total: PENDING + MESSAGES,
      counted_all: true,
      counts: [
        { cause: 'not_started', count: PENDING },
        { cause: 'market_message_unknown_account', count: MESSAGES },
      ],
    });
  }
  const ages = found.flatMap(({ stuck }) => stuck.map(({ waiting_since: since }: { waiting_since: string }) => since));
  expect(ages).toEqual(ages.toSorted());
});

test('filters by one cause and by one account', async () => {
  expect(
    (await pages({ cause: 'market_message_unknown_account' })).map(({ stuck, total }) => [stuck.length, total]),
  ).toEqual([[MESSAGES, MESSAGES]]);
  expect((await operate('GET', 'stuck/?account=PAGES-17')).body).toMatchObject({
    total: 1,
    complete: true,
    stuck: [{ cause: 'not_started' }],
  });
  expect((await operate('GET', 'stuck/?cause=nothing_like_it')).body).toMatchObject({
    stuck: [],
    total: 0,
    complete: true,
  });
});

test.each(['x', 'WyJhIl0', 'W10', Buffer.from('["2026", "a"]').toString('base64url')])(
  'rejects a foreign cursor (%s)',
  async (cursor) => {
    expect((await operate('GET', `stuck/?cursor=${cursor}`)).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ attr: 'cursor' }],
    });
  },
);

test('shows due work, its dispatcher and the held slots beside the list', async () => {
  // It would start due work, take over the lease, and free the slot.
  await service.stopWorker();
  await service.database.pool.query(
    `insert into work_item (workflow_id, kind, input, start_at) values ('switch-supplier/PAGES', 'switch-supplier', '{}', now() - interval '5 minutes')`,
  );
  await service.database.pool.query(
    `insert into creation_slot (creation_id, taken_at) select gen_random_uuid(), now() - interval '3 seconds'`,
  );
  await service.database.pool.query(
    `update dispatcher_lease set holder = 'worker-1/17', held_since = now() - interval '1 minute', held_until = now() - interval '1 second'`,
  );
  await until(async () => (await operate('GET', 'stuck/')).body.due_work.kinds.length > 0);
  const { due_work: dueWork } = (await operate('GET', 'stuck/')).body;
  expect(dueWork.kinds).toContainEqual({
    kind: 'switch-supplier',
    due: 1,
    oldest_due_at: expect.any(String),
    oldest_age_seconds: expect.any(Number),
    late: true,
  });
  expect(
    dueWork.kinds.find(({ kind }: { kind: string }) => kind === 'switch-supplier').oldest_age_seconds,
  ).toBeGreaterThanOrEqual(300);
  expect(dueWork).toMatchObject({ creation_slots: { held: 1, oldest_taken_at: expect.any(String) } });
});
