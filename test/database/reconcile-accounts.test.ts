import { afterAll, expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { v7 as uuidv7 } from 'uuid';
import { accountPayloadSchema } from '../../src/accounts/account-payload.schema.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { compareAccounts, type ReconciledAccount } from '../../src/reconciliation/index.ts';
import type { Difference } from '../../src/reconciliation/compare/compare-account.rules.ts';
import { notCompared } from '../../src/reconciliation/certificate.rules.ts';
import { accountForm, transactionForm } from '../../src/reconciliation/compare/accepted-forms.schema.ts';
import { reconcilePage } from '../../src/reconciliation/reconcile-page.store.ts';
import {
  endReconciliation,
  findReconciliation,
  startReconciliation,
} from '../../src/reconciliation/reconciliation.store.ts';
import type { SchemaNode } from '../../src/platform/validation/schema-node.ts';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { accountVariant, randomOf } from '../support/account-variants.ts';
import { withVendorQueries } from '../support/vendor-queries.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { columnsBelowAccount, placeOfChange, seedEach, type CataloguedColumn } from '../support/seeded-changes.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

const SUPPLIER = 'SUPPLIER_FR';
/** More than one for each column when the comparison itself changes. */
const SEEDED_CHANGES = Number(process.env['SEEDED_CHANGES'] ?? 0);
const SEED = Number(process.env['SEED'] ?? 1);

const clone = await createTestDatabase();
const log = createLog({ level: 'silent', process: 'test' });
const database = await openDatabase({ url: clone.url, entities, poolSize: 2, log, applicationName: 'test' });
await database.pool.query(
  `insert into import_supplier (code, name, status) values ('${SUPPLIER}', 'Supplier of the tests', 'Ongoing')`,
);
await database.pool.query(`insert into operations_team (name) values ('Migration')`);
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const compare = (externals: readonly string[]): Promise<ReconciledAccount[]> =>
  database.transaction(async (em) => {
    const compared = [];
    for await (const account of compareAccounts(em, SUPPLIER, externals)) compared.push(account);
    return compared;
  });

let sequence = 1_000;

test('finds no difference between any accepted payload and what was created from it', async () => {
  let created = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer(), { minLength: 40, maxLength: 40 }), async (seeds) => {
      const payloads = seeds.map((seed) => accountVariant(seed, (sequence += 1), SUPPLIER));
      const externals = await createAccounts(database, SUPPLIER, payloads);
      const compared = await compare(externals);
      expect(compared.map(({ external }) => external)).toEqual(externals);
      expect(compared.flatMap(({ account }) => account.differences)).toEqual([]);
      for (const { account } of compared) expect(account.lines.stored).toEqual(account.lines.accepted);
      created += externals.length;
    }),
    { numRuns: 3 },
  );
  expect(created).toBeGreaterThan(30);
});

test('compares numbers beyond the range of doubles to the last digit', async () => {
  const text = JSON.stringify(
    domesticAccount({ import_supplier: SUPPLIER, metadata: [{ key: 'k', value: { n: 0 } }] }, 1),
  ).replace('{"n":0}', '{"n":[123456789012345678901234567890.123,1e400,0.1000000000000000055511151231257827]}');
  const [external] = await createAccounts(database, SUPPLIER, [text]);
  expect(await compare([external!])).toMatchObject([{ account: { differences: [] } }]);
  await database.pool.query(
    `update account_metadata set value = jsonb_set(value, '{n,0}', '123456789012345678901234567890.124') where value ? 'n'`,
  );
  expect(await compare([external!])).toMatchObject([
    {
      account: {
        differences: [{ path: 'metadata.0.value.n.0', kind: 'changed', table: 'account_metadata', column: 'value' }],
      },
    },
  ]);
});

const plans = [...accountForm.plans, ...transactionForm.plans];

/** Columns that refer to a row; if they refer elsewhere, the row is missing in its former place. */
function isKey(table: string, column: string): boolean {
  if (column === 'account_id' || column === 'position') return true;
  return plans.some(({ list }) => list.table === table && list.parent === column);
}

function isCompared({ table, column }: CataloguedColumn): boolean {
  if (table === 'account') return accountForm.account.fields.some((field) => field.column === column);
  return plans.some(({ list, fields }) => list.table === table && fields.some((field) => field.column === column));
}

const isLeftOut = ({ table, column }: CataloguedColumn) =>
  Object.keys(notCompared.get(table) ?? {}).some((name) => name === column || name === '*');

test('compares every column of an account, or has a reason not to', async () => {
  const columns = await columnsBelowAccount(database.pool);
  const forgotten = columns.filter(
    (column) => !isCompared(column) && !isLeftOut(column) && !isKey(column.table, column.column),
  );
  expect(forgotten).toEqual([]);
  const twice = columns.filter((column) => isCompared(column) && isLeftOut(column));
  expect(twice).toEqual([]);
  const gone = [...notCompared].flatMap(([table, reasons]) =>
    Object.keys(reasons).filter(
      (name) => !columns.some((column) => column.table === table && (name === '*' || column.column === name)),
    ),
  );
  expect(gone).toEqual([]);
});

test('compares every member of a payload', () => {
  const membersOf = (node: SchemaNode, path: string): string[] => {
    if (node.opaque === true || node.oneOf !== undefined) return [path];
    if (node.items !== undefined) return membersOf(node.items, `${path}.*`);
    if (node.properties === undefined) return [path];
    return Object.entries(node.properties).flatMap(([name, inner]) => membersOf(inner, `${path}.${name}`));
  };
  const hashed = new Set(accountForm.hashedPaths);
  const isHashed = (path: string) => hashed.has(path) || hashed.has(path.slice(0, path.lastIndexOf('.')));
  const members = membersOf(accountPayloadSchema as SchemaNode, '').map((path) => path.slice(1));
  expect(members.filter((path) => !isHashed(path))).toEqual([]);
});

test('finds each seeded change of a single column, with its path', async () => {
  const columns = (await columnsBelowAccount(database.pool)).filter((column) => !isLeftOut(column));
  const count = Math.max(SEEDED_CHANGES, columns.length);
  const payloads = Array.from({ length: count }, () => {
    const { business_contract_identifier: _label, ...business } = businessAccount({}, (sequence += 1)).business!;
    return businessAccount({ import_supplier: SUPPLIER, business }, sequence);
  });
  const externals = await createAccounts(database, SUPPLIER, payloads);
  expect(externals).toHaveLength(count);
  await attachTransactions(externals);
  const random = randomOf(SEED);
  const seeded = await seedEach(database.pool, externals, (index) => columns[index % columns.length]!, random);
  const impossible = seeded.filter(({ change }) => change === undefined).map(({ column }) => column.column);
  // A CHECK of the table requires both together.
  expect([...new Set(impossible)].sort()).toEqual(['verification_id', 'verified_at']);
  const compared = new Map(
    (await compareInPages(externals)).map((account) => [
      account.external,
      [...account.account.differences, ...(account.transactions?.differences ?? [])],
    ]),
  );
  const undetected = seeded.flatMap(({ external, column, change }, index) => {
    if (change === undefined) return [];
    const isRow = isKey(column.table, column.column);
    const sent = { ...payloads[index], transactions: TRANSACTIONS };
    const { path, kind } = placeOfChange(sent, column, change, isRow);
    const found = (compared.get(external) ?? []).filter(({ reason }) => reason === null);
    const reported = found.filter((difference) => difference.path === path && fits(difference, column, isRow));
    return reported.length === 1 && [reported[0]!.kind, undefined].includes(kind)
      ? []
      : [{ column, change, path, kind, found }];
  });
  expect(undetected).toEqual([]);
});

test('counts pages once that two workers compare concurrently, or that were left half done', async () => {
  const total = (await database.pool.query('select 1 from import_process where imported_at is not null')).rowCount!;
  const start = async () => {
    const id = uuidv7();
    const wanted = { id, importSupplier: SUPPLIER, importJobId: null, organisation: id };
    await database.transaction((em) => startReconciliation(em, wanted));
    return id;
  };
  const work = async (id: string, size: number, dies: boolean): Promise<void> => {
    for (let page = 1; ; page += 1) {
      const done = await database.transaction(async (em) => {
        const compared = await reconcilePage(em, id, size);
        if (dies && page % 3 === 0) await em.rollback();
        return compared;
      });
      if (done === undefined || (done !== 'locked' && done.keys === 0)) return;
    }
  };
  const [alone, together] = [await start(), await start()];
  await work(alone, 500, false);
  await Promise.all([work(together, 7, true), work(together, 13, false)]);
  const [one, other] = await Promise.all([alone, together].map((id) => findReconciliation(database, id)));
  expect(one!.tally.accounts).toBe(total);
  expect(other!.tally).toEqual({ ...one!.tally, compared_at: expect.anything() });
  expect(other!.listed).toBe(one!.listed);
});

test('delays neither the comparison nor another vendor while a vendor does not answer', async () => {
  await withVendorQueries(database, async (ask) => {
    await createAccounts(database, 'ASKED', accountsWith(['MD-SLOW'], 'pm_FINE'));
    const id = await ask.start();
    const ending = new AbortController();
    const queries = ask.openVendorQueries(ending.signal);
    try {
      await until(async () => {
        const page = await database.transaction((em) => reconcilePage(em, id, 10));
        if (page === undefined || page === 'locked') return false;
        queries.continue(page.record);
        return page.record.tally.compared_at !== undefined && page.record.tally.progress['STRIPE']?.hasEnded === true;
      });
      expect(queries.isBusy()).toBe(true);
    } finally {
      ending.abort();
      await queries.settle();
    }
    const { tally } = (await findReconciliation(database, id))!;
    expect(tally.vendors).toMatchObject({
      GOCARDLESS: { in_force: 1, asked: 0, not_asked: {} },
      STRIPE: { in_force: 1, asked: 1, usable: 1 },
    });
    await database.transaction((em) => endReconciliation(em, id, 'CANCELLED', 'test'));
    await database.pool.query(
      `update payment_instruction set replaced_at = now() where reference = 'MD-SLOW' or reference like 'pm_FINE%'`,
    );
  });
});

test('queries vendors page by page, retries failures, and respects the daily limit', async () => {
  await withVendorQueries(database, async (ask) => {
    const asked = async (isTwice: boolean) => {
      const id = await ask.start();
      // Also beside the comparison: ten accounts are a page.
      const work = async () => {
        const queries = ask.openVendorQueries();
        for (;;) {
          const page = await database.transaction((em) => reconcilePage(em, id, 10));
          if (page === undefined || page === 'locked') continue;
          if (!queries.continue(page.record) && page.keys === 0) break;
          await queries.nextPage();
        }
      };
      // Of two concurrent queries each page counts once.
      await Promise.all(isTwice ? [work(), work()] : [work()]);
      const { tally } = (await findReconciliation(database, id))!;
      await database.transaction((em) => endReconciliation(em, id, 'COMPLETED', 'test'));
      return { id, ...tally };
    };
    const references = Array.from({ length: 30 }, (_, index) => `MD-${index}`);
    references.splice(3, 1, 'MD-FAILING-2-3');
    references.splice(5, 1, 'MD-REVOKED-5');
    expect(await createAccounts(database, 'ASKED', accountsWith(references, 'pm_DOWN'))).toHaveLength(30);
    const first = await asked(true);
    expect(first.vendors).toEqual({
      GOCARDLESS: { in_force: 30, asked: 25, usable: 24, different: 1, not_asked: { limit_reached: 5 } },
      STRIPE: { in_force: 30, asked: 0, usable: 0, different: 0, not_asked: { unreachable: 30 } },
    });
    const { rows } = await database.pool.query(
      `select subject, key, path, kind, vendor_answer from reconciliation_difference where reconciliation_id = $1 and subject = 'payment_instruction'`,
      [first.id],
    );
    const path = 'supply_addresses.0.supply_points.0.payment_instructions.0';
    const place = { subject: 'payment_instruction', key: expect.stringMatching(/^HOME-/), path };
    expect(rows).toEqual([{ ...place, kind: 'changed', vendor_answer: 'cancelled' }]);
    expect((await asked(false)).vendors['GOCARDLESS']).toMatchObject({ asked: 0, not_asked: { limit_reached: 30 } });
  });
});

/** Accounts with an instruction at GoCardless and one at Stripe. */
function accountsWith(references: readonly string[], atStripe: string) {
  return references.map((reference) => {
    const account = domesticAccount({ import_supplier: 'ASKED', payment_preferences: [] }, (sequence += 1));
    const [electricity, gas] = account.supply_addresses![0]!.supply_points;
    electricity!.payment_instructions = [{ vendor: 'gocardless', reference, type: 'DIRECT_DEBIT' }];
    gas!.payment_instructions = [{ vendor: 'STRIPE', reference: `${atStripe}_${sequence}`, type: 'CARD' }];
    return account;
  });
}

/**
 * A changed column is reported itself; one that refers to a row, as the missing row; one of the account's own key, as
 * the account.
 */
function fits(difference: Difference, { table, column }: CataloguedColumn, isRow: boolean): boolean {
  return difference.table === table && difference.column === (isRow ? null : column);
}

async function compareInPages(externals: readonly string[]): Promise<ReconciledAccount[]> {
  const compared = [];
  for (let from = 0; from < externals.length; from += 200) {
    compared.push(...(await compare(externals.slice(from, from + 200))));
  }
  return compared;
}

const ITEM = { start_date: '2024-09-01', end_date: '2024-09-30', number_of_units: '10', net_amount: '5.50' };
const TRANSACTIONS = [
  {
    transaction_id: 'T1',
    transaction_date: '2024-09-30',
    amount: 12.5,
    type: 'CHARGE',
    reason: 'R',
    display_note: 'D',
    note: 'N',
  },
  {
    transaction_id: 'T2',
    transaction_date: '2024-10-01',
    amount: '7',
    type: 'PAYMENT',
    reason: 'R',
    reference: 'F',
    payment_type: 'CARD',
  },
  {
    transaction_id: 'T3',
    transaction_date: '2024-10-02',
    amount: '6.60',
    type: 'SUPPLY_CHARGE',
    product_code: 'P',
    line_items: [{ ...ITEM, price_per_unit: '0.55', rate_band: 'B', units: ['4', 6.0] }],
    tax_items: [{ amount: '1.10', tax_type: 'VAT', value_taxed: '5.50', rate: 0.2, unit_type: 'EUR' }],
  },
];

/** By the same function as operation 5. */
async function attachTransactions(externals: readonly string[]): Promise<void> {
  await database.pool.query(
    `select insert_transactions(id, $2, $3::date[], $4::text[], null) from account where external_account_number = any($1)`,
    [
      externals,
      JSON.stringify(TRANSACTIONS),
      TRANSACTIONS.map(({ transaction_date: day }) => day),
      TRANSACTIONS.map(() => null),
    ],
  );
}
