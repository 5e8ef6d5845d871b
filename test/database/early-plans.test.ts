import { afterAll, expect, test } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import {
  findClaims,
  findReplacedLines,
  findStagedLines,
  lockPageToCreate,
  storeCreatedLines,
  storeLines,
} from '../../src/import-jobs/work-off/worked-page.store.ts';
import { findLinesOfPage } from '../../src/import-jobs/import-job-page.store.ts';
import { dialectOver, statementName } from '../../src/platform/database/pool-dialect.ts';
import type { PreparedQuery } from '../../src/platform/database/prepared-query.ts';
import { entities } from '../../src/processes/entities.ts';
import { stageTogether, type StagedAccount } from '../../src/account-import/stage/stage-account.store.ts';
import { createFromStaged } from '../../src/account-import/create/create-account.store.ts';
import { deleteUnusedPoints, lockFreePoints } from '../../src/supply-points/unused-point.store.ts';
import { findHeldOn, releaseUnclaimed } from '../../src/switching/release-unclaimed.store.ts';
import { deleteAccounts, lockPage } from '../../src/withdrawal/withdraw-page.store.ts';
import { findObstacles } from '../../src/withdrawal/find-obstacles.store.ts';
import {
  countBusinessOutcomes,
  countUnusedWithout,
  findBusinessesOf,
  withdrawBusinesses,
} from '../../src/withdrawal/withdraw-businesses.store.ts';
import { findCandidates } from '../../src/withdrawal/withdrawal.store.ts';
import { completeVerifications } from '../../src/payment-instructions/complete-verification.store.ts';
import { requestVerifications } from '../../src/payment-instructions/request-verification.store.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { preparedQueries } from '../support/prepared-queries.ts';
import { nodesOf, type PlanNode } from '../support/query-plan.ts';
import { createTestDatabase } from '../support/test-database.ts';

const clone = await createTestDatabase();
// The same settings as the service's sessions.
const client: pg.Client = new pg.Client({ connectionString: clone.url, options: '-c jit=off -c enable_seqscan=off' });
await client.connect();
afterAll(async () => {
  await client.end();
  await clone.drop();
});

/**
 * Makes Postgres plan the queries on empty tables and keep the plans, without executing them.
 * @param answers rows that a query is assumed to have found
 */
async function plansOf(
  work: (planned: never) => Promise<unknown>,
  answers: Record<string, unknown[]> = {},
): Promise<Map<string, PlanNode[]>> {
  const plans = new Map<string, PlanNode[]>();
  const run = async ({ name, text }: PreparedQuery) => {
    const { rows } = await client.query(`explain (generic_plan, format json) ${text}`);
    plans.set(name, nodesOf(rows[0]['QUERY PLAN'][0].Plan));
    return answers[name] ?? [];
  };
  /** Kysely's statements are named by verb and table, and the later ones of a name also by number. */
  const query = async ({ text }: PreparedQuery) => {
    const name = statementName(text);
    const others = [...plans.keys()].filter((one) => one.startsWith(name)).length;
    return { rows: await run({ name: others === 0 ? name : `${name} ${others + 1}`, text }) };
  };
  const pool = { connect: async () => ({ query, release: () => {} }) };
  const driverOptions = dialectOver(pool as never);
  const orm = new MikroORM({ dbName: 'none', entities: [...entities], driverOptions, logger: () => {} } as never);
  const planned = Object.assign(orm.em.fork(), { run });
  await work(planned as never);
  return plans;
}

/** What each query reads of a table: its index condition, or everything. */
const readsOf = (plans: Map<string, PlanNode[]>, table: string): string[] =>
  [...plans].flatMap(([name, nodes]) =>
    nodes
      .filter((node) => /^(?:Seq|Index|Index Only|Bitmap Index) Scan$/.test(node['Node Type']))
      .filter((node) => `${node['Relation Name']} ${node['Index Name']}`.includes(table))
      .map((node) => `${name}: ${node['Index Cond'] ?? 'all'}`),
  );

const JOB = '019a0000-0000-7000-8000-000000000000';
const page = { uploadId: JOB, uploadPage: 1, firstLine: 1, physicalLines: 250 };
const line = { line: 1, key: 'A', claimsKey: true, outcome: { kind: 'staged' as const, revision: 1 } };

// Otherwise a page costs more the more lines the job has: with 20,000 accounts the rate fell to a third.
test('reads only the lines of one page, even with plans made on empty tables', async () => {
  const plans = await plansOf(async (planned) => {
    await lockPageToCreate(planned, JOB);
    await findStagedLines(planned, JOB, page, 250);
    await findReplacedLines(planned, { id: JOB, importSupplier: 'S' }, [1]);
    await storeCreatedLines(planned, JOB, page, [line], new Map());
    await findLinesOfPage(planned, JOB, page);
    await findClaims(planned, JOB, ['A']);
    await storeLines(planned, JOB, { ...page, number: 1, lines: 250, judgedLines: 0, body: Buffer.of() }, [line], null);
  });
  expect(readsOf(plans, 'import_process')).toEqual([
    'import-job-lines-replaced: ((import_supplier = $2) AND (external_account_number = import_job_line.key))',
    'import-job-lines-replaced: ((import_process_id = p.id) AND (revision = import_job_line.revision))',
  ]);
  const readsOfLines = readsOf(plans, 'import_job_line');
  expect(plans.size).toBe(8);
  expect(readsOfLines.filter((read) => !/\((?:line (?:>=|= ANY)|key = ANY)/.test(read))).toEqual([]);
  expect(readsOfLines.length).toBeGreaterThanOrEqual(6);
});

// With 20,000 staged accounts each batch otherwise took 5.5 ms to scan half of them.
test('reads only the accounts of one creation batch, even with plans made on empty tables', async () => {
  const row = { id: JOB, validated_with: '1', workflow_id: null, status: 'Ongoing', team: 'Migration' };
  const entry = { creationId: JOB, importSupplier: 'S', externalAccountNumber: 'A', operationsTeam: 'Migration' };
  const context = { currentRules: () => '1', revalidate: async () => [], switchLeadDays: 14 };
  const plans = await plansOf((planned) => createFromStaged(planned, [entry], context), { 'create-lock': [row] });
  const reads = readsOf(plans, 'import_process');
  const isByKey = /: \(+(?:id = |import_supplier = .*external_account_number = )/;
  expect(reads.filter((read) => !isByKey.test(read))).toEqual([]);
  expect(new Set(reads.map((read) => read.split(':')[0])).size).toBe(5);
  // As a condition it was read as a whole, which the setting of the session did not prevent.
  expect(readsOf(plans, 'wave_account')).toEqual([
    'create-lock: (import_process_id = l.id)',
    'create-accounts: (import_process_id = s.id)',
  ]);
});

test('reads no whole table for a batch of stagings, even with plans made on empty tables', async () => {
  const account = domesticAccount();
  const one: StagedAccount = {
    account,
    importSupplier: account.import_supplier,
    externalAccountNumber: account.external_account_number,
    payloadJson: '{}',
    phoneNumbersJson: '[]',
    validatedWith: '1',
    documentRoot: null,
  };
  const plans = await plansOf((planned) => stageTogether(planned, account.import_supplier, [one, one]));
  const reads = ['import_process', 'supply_point', 'payment_instruction', 'business_contract'].map((table) =>
    readsOf(plans, table),
  );
  expect(reads.flat().filter((read) => read.endsWith(': all'))).toEqual([]);
  expect(reads.map((ofTable) => ofTable.length > 0)).toEqual([true, true, true, true]);
});

test('reads only the accounts of one page of a withdrawal, even with plans made on empty tables', async () => {
  const scope = { importSupplier: 'S', externalAccountNumber: null, importJobId: JOB, waveId: null };
  const account = { id: JOB, number: 'A-1' };
  const held = {
    'select withdrawal_business': [{ business_id: JOB }],
    'withdrawal-decide-businesses': [{ deletedRows: {} }],
    'withdrawal-count-unused-businesses': [{ businesses: 1 }],
    'select account_supply_point': [account],
    'update account_supply_point': [account],
  };
  const plans = await plansOf(async (planned) => {
    await findCandidates(planned, scope, '', 100);
    await findCandidates(planned, { ...scope, externalAccountNumber: 'A', importJobId: null }, '', 1);
    await findCandidates(planned, { ...scope, importJobId: null, waveId: JOB }, '', 100);
    await lockPage(planned, 'S', [{ ...account, externalAccountNumber: 'A' }]);
    await findObstacles(planned, [JOB], [JOB]);
    await deleteAccounts(planned, JOB, [account]);
    await releaseUnclaimed(planned, [JOB], await findHeldOn(planned, [JOB]));
    await lockFreePoints(planned, [JOB]);
    await deleteUnusedPoints(planned, [JOB]);
    await withdrawBusinesses(planned, { id: JOB, withdrawsBusinesses: true }, 100);
    await findBusinessesOf(planned, [JOB]);
    await countUnusedWithout(planned, new Map([[JOB, 1]]));
    await countBusinessOutcomes(planned, JOB, 20);
  }, held);
  expect(readsOf(plans, '').filter((read) => read.endsWith(': all'))).toEqual([]);
  expect(plans.size).toBe(20);
});

test('reads no whole table for a page of payment instructions, even with plans made on empty tables', async () => {
  const request = {
    import_supplier: 'S',
    external_account_number: 'A',
    vendor: 'STRIPE',
    type: 'CARD',
    reference: 'pm_1',
    supply_point_identifier: '25012345678901',
  } as const;
  const terms = {
    keyId: JOB,
    limits: { perMinute: 600, refusedPerHour: 500, isOfJob: true },
    budgetMs: 1,
    holdSeconds: 60,
  };
  const account = { id: JOB, serviceAccountNumber: '1', externalAccountNumber: 'A' };
  const facts = { position: 0, latestId: null, isHeld: false, isInUse: false };
  const requested = await plansOf(
    (planned) => {
      const em = Object.assign(planned, { execute: async () => [] });
      return requestVerifications({ transaction: (work: any) => work(em) } as never, 'S', [{ request }], terms);
    },
    {
      'lock-imported-accounts': [account],
      'payment-verification-facts': [facts],
      'select payment_verification': [{ allowed: 1 }],
    },
  );
  const verification = { id: JOB, accountId: JOB, vendor: 'STRIPE', type: 'CARD', reference: 'pm_1' };
  const completed = await plansOf(
    (planned) => {
      const em = Object.assign(planned, { find: async () => [verification] });
      const answered = { verificationId: JOB, workflowId: 'w', answer: { kind: 'usable' } } as const;
      return completeVerifications(em, [answered]);
    },
    {
      'select payment_verification': [
        { verificationId: JOB, number: '1', importSupplier: 'S', externalAccountNumber: 'A' },
      ],
    },
  );
  expect(requested.size).toBe(5);
  expect(completed.size).toBe(8);
  for (const table of ['account', 'payment_verification', 'payment_instruction', 'supply_point', 'work_item']) {
    const reads = [...readsOf(requested, table), ...readsOf(completed, table)];
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.filter((read) => read.endsWith(': all'))).toEqual([]);
  }
});

// By the due work of all import suppliers a page took 0.7 s once 100,000 switches became due together.
test('claims of work read only the work of one import supplier, with plans made while nothing is due', async () => {
  await client.query(
    `insert into import_supplier (code, name, status) values ('A', 'A', 'Ongoing'), ('B', 'B', 'Ongoing')`,
  );
  await client.query(
    `insert into work_item (workflow_id, kind, input, start_at)
     select k || n, k, jsonb_build_object('importSupplier', case n % 2 when 0 then 'A' else 'B' end), now() + n * interval '1 hour'
     from generate_series(1, 1000) n, unnest(array['switch-supplier', 'verify-payment-instruction']) k`,
  );
  await client.query('analyze work_item');
  const claims = [
    'switch-claim-signalled',
    'switch-claim-due',
    'switch-waiting',
    'work-item-claim-new',
    'work-item-claim-again',
  ];
  const queries = (await preparedQueries()).filter(({ name }) => claims.includes(name));
  const plans = await plansOf(async (planned: { run(query: PreparedQuery): Promise<unknown> }) => {
    for (const query of queries) await planned.run(query);
  });
  expect([...plans.keys()].toSorted()).toEqual(claims.toSorted());
  const reads = [...plans].flatMap(([name, nodes]) =>
    nodes
      .filter((node) => node['Index Name']?.startsWith('work_item_'))
      .map(
        (node) =>
          `${name}: ${node['Index Name']}${/importSupplier'::text\)(?:, ''::text\))? [=>]/.test(node['Index Cond'] ?? '') ? ' of a supplier' : ''}`,
      ),
  );
  // The claims of the dispatcher also list the import suppliers by this index, and update what they found by its key.
  expect([...new Set(reads)].toSorted()).toEqual([
    'switch-claim-due: work_item_switch_scheduled of a supplier',
    'switch-claim-signalled: work_item_switch_signalled of a supplier',
    'switch-waiting: work_item_switch_scheduled of a supplier',
    'switch-waiting: work_item_switch_signalled of a supplier',
    'work-item-claim-again: work_item_pkey',
    'work-item-claim-again: work_item_run_again',
    'work-item-claim-again: work_item_run_again of a supplier',
    'work-item-claim-new: work_item_pkey',
    'work-item-claim-new: work_item_run_new',
    'work-item-claim-new: work_item_run_new of a supplier',
  ]);
});
