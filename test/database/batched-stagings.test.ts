import { afterAll, expect, test } from '@jest/globals';
import { batchStagings } from '../../src/account-import/stage/stage-account.queue.ts';
import type { StagedAccount, StagingOutcome } from '../../src/account-import/stage/stage-account.store.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Autocommit } from '../../src/platform/database/prepared-query.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { createTestDatabase } from '../support/test-database.ts';

// Concurrent stagings use one statement; each is answered as if it had been alone.

const clone = await createTestDatabase();
const log = createLog({ level: 'silent', process: 'test' });
const database = await openDatabase({ url: clone.url, entities, poolSize: 8, log, applicationName: 'test' });
await database.pool.query(
  `insert into import_supplier (code, name, status) values ('BOREAL', 'Boreal', 'Ongoing'), ('OTHER', 'Other', 'Ongoing'), ('ENDED', 'Ended', 'Complete')`,
);
afterAll(async () => {
  await database.close();
  await clone.drop();
});

function staged(external: string, overrides: object = {}, importSupplier = 'BOREAL'): StagedAccount {
  const account = domesticAccount({ ...overrides, external_account_number: external, import_supplier: importSupplier });
  return stagedForm(account, importSupplier);
}

function stagedForm(account: StagedAccount['account'], importSupplier: string): StagedAccount {
  return {
    account,
    importSupplier,
    externalAccountNumber: account.external_account_number,
    payloadJson: JSON.stringify(account),
    phoneNumbersJson: '[{}]',
    validatedWith: 'test',
    documentRoot: null,
  };
}

const numbers = (prefix: string, count: number) => Array.from({ length: count }, (_one, index) => `${prefix}-${index}`);

/** A queue, and the number of accounts in each statement that stages. */
function watched() {
  const sizes: number[] = [];
  const counted: Autocommit = {
    run: async (query, values) => {
      if (query.name === 'stage-accounts') sizes.push((values[1] as string[]).length);
      return database.run(query, values);
    },
  };
  return { sizes, stage: batchStagings(counted) };
}

const revisionsOf = async (prefix: string) =>
  (
    await database.pool.query(
      `select p.external_account_number as external, p.revision, p.payload ->> 'billing_address1' as address,
        array(select r.revision from import_process_revision r where r.import_process_id = p.id order by 1) as kept
      from import_process p where p.external_account_number like $1 order by p.external_account_number`,
      [`${prefix}-%`],
    )
  ).rows;

test('stages two of thirty concurrent accounts alone and the others together, and each once', async () => {
  const { sizes, stage } = watched();
  const outcomes = await Promise.all(numbers('MANY', 30).map((external) => stage(staged(external))));
  expect(outcomes).toEqual(Array.from({ length: 30 }, () => ({ kind: 'staged', revision: 1, mayWarn: false })));
  expect(sizes).toEqual([1, 1, 28]);
  const rows = await revisionsOf('MANY');
  expect(rows.map(({ kept }) => kept)).toEqual(Array.from({ length: 30 }, () => [1]));
  const counted = await database.pool.query(
    `select sum(change)::integer as known from account_count_change where import_supplier = 'BOREAL' and state = 'known'`,
  );
  expect(counted.rows).toEqual([{ known: 30 }]);
});

test('puts at most 32 accounts into one statement, and fewer large ones', async () => {
  const many = watched();
  await Promise.all(numbers('CAP', 100).map((external) => many.stage(staged(external))));
  expect(many.sizes.filter((size) => size > 1)).toHaveLength(4);
  const large = watched();
  const value = 'x'.repeat(100_000);
  await Promise.all(
    numbers('LARGE', 7).map((external) => large.stage(staged(external, { metadata: [{ key: 'k', value }] }))),
  );
  expect(large.sizes.filter((size) => size > 1)).toHaveLength(2);
});

test('uses separate statements for each import supplier', async () => {
  const { sizes, stage } = watched();
  const outcomes = await Promise.all([
    ...numbers('OURS', 6).map((external) => stage(staged(external))),
    ...numbers('OURS', 6).map((external) => stage(staged(external, {}, 'OTHER'))),
  ]);
  expect(outcomes.map((outcome) => outcome.kind === 'staged' && outcome.revision)).toEqual(
    Array.from({ length: 12 }, () => 1),
  );
  expect(sizes.filter((size) => size > 1)).toHaveLength(2);
});

test('stores a revision for each of many concurrent stagings of one account, and keeps the last one', async () => {
  const { stage } = watched();
  const [external] = numbers('SAME', 1) as [string];
  const copies = Array.from({ length: 8 }, (_one, index) => stage(staged(external, { billing_address1: `${index}` })));
  await Promise.all([...copies, ...numbers('SAME-OTHER', 8).map((other) => stage(staged(other)))]);
  const revisions = (await Promise.all(copies)).map((outcome) => outcome.kind === 'staged' && outcome.revision);
  expect(revisions).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await revisionsOf('SAME')).toContainEqual({
    external,
    revision: 8,
    address: '7',
    kept: [1, 2, 3, 4, 5, 6, 7, 8],
  });
});

test('reports why an account is not staged, beside others that are', async () => {
  const externals = numbers('WHY', 6);
  const { stage } = watched();
  await Promise.all(externals.map((external) => stage(staged(external))));
  await database.pool.query(`update import_process set skipped_at = now() where external_account_number = 'WHY-4'`);
  const outcomes = await Promise.all(externals.map((external) => stage(staged(external))));
  const again: StagingOutcome = { kind: 'staged', revision: 2, mayWarn: false };
  expect(outcomes).toEqual([again, again, again, again, { kind: 'skipped' }, again]);
  const ended = numbers('WHY', 4).map((external) => stage(staged(external, {}, 'ENDED')));
  expect(await Promise.all(ended)).toEqual(
    Array.from({ length: 4 }, () => ({ kind: 'not-ongoing', status: 'Complete' })),
  );
});

test('stages the other accounts when the database rejects one', async () => {
  await database.pool.query(`
    create function refuse_one() returns trigger language plpgsql as $$ begin
      if new.external_account_number = 'FAULT-5' then raise exception 'refused' using errcode = '22023'; end if;
      return new;
    end $$`);
  await database.pool.query(
    'create trigger refuse_one before insert on import_process for each row execute function refuse_one()',
  );
  const { stage } = watched();
  const outcomes = await Promise.allSettled(numbers('FAULT', 8).map((external) => stage(staged(external))));
  await database.pool.query('drop trigger refuse_one on import_process');
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
    numbers('FAULT', 8).map((one) => one !== 'FAULT-5'),
  );
  expect((await revisionsOf('FAULT')).map(({ kept }) => kept)).toEqual(Array.from({ length: 7 }, () => [1]));
});

test('delays no other account while one is locked', async () => {
  const externals = numbers('HELD', 10);
  const { stage } = watched();
  await Promise.all(externals.map((external) => stage(staged(external))));
  const holder = await database.pool.connect();
  await holder.query('begin');
  // The first two go alone and use both slots; the last one is in the statement of the others.
  await holder.query(
    `select from import_process where external_account_number in ('HELD-0', 'HELD-1', 'HELD-9') for update`,
  );
  let held = 3;
  const outcomes = externals.map((external) =>
    stage(staged(external)).then((outcome) => {
      if (['HELD-0', 'HELD-1', 'HELD-9'].includes(external)) held -= 1;
      return outcome;
    }),
  );
  const again = { kind: 'staged', revision: 2, mayWarn: false };
  expect(await Promise.all(outcomes.slice(2, 9))).toEqual(Array.from({ length: 7 }, () => again));
  expect(held).toBe(3);
  await holder.query('commit');
  holder.release();
  expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 10 }, () => again));
});

test('attaches warnings to their own account only', async () => {
  const { sizes, stage } = watched();
  const unknownContract = stagedForm(
    businessAccount({
      external_account_number: 'WARN-LABEL',
      import_supplier: 'BOREAL',
      business: { ...businessAccount().business!, business_contract_identifier: 'NOT-THERE' },
    }),
    'BOREAL',
  );
  const outcomes = await Promise.all([
    ...numbers('WARN', 4).map((external) => stage(staged(external))),
    stage(unknownContract),
    stage(staged('WARN-LAST')),
  ]);
  expect(sizes).toEqual([1, 1, 4]);
  expect(outcomes.map((outcome) => outcome.kind === 'staged' && outcome.mayWarn)).toEqual([
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
});

test('reports a lost answer to each caller, and stages none a second time', async () => {
  const losing = batchStagings({
    run: async (query, values) => {
      const rows = await database.run(query, values);
      if ((values[1] as string[]).length > 1) {
        throw Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' });
      }
      return rows as never;
    },
  });
  const outcomes = await Promise.allSettled(numbers('LOST', 6).map((external) => losing(staged(external))));
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    ...Array.from({ length: 4 }, () => 'rejected'),
  ]);
  expect((await revisionsOf('LOST')).map(({ kept }) => kept)).toEqual(Array.from({ length: 6 }, () => [1]));
});
