import { parisDay } from '../../src/platform/clock.ts';
import type { Answer, Service } from './harness.ts';
import { insertProcesses } from './import-process-lists.ts';

/** Today in France, or some days from it. */
export function dayFromToday(days: number): string {
  return parisDay(new Date(Date.now() + days * 86_400_000));
}

/** Adds imported accounts without a payload, as operations 4 to 6 need them. */
export async function addAccounts(
  service: Service,
  numbers: readonly string[],
  lastBilledTo: string | null = null,
): Promise<void> {
  await insertProcesses(service.database, 'SUPPLIER_FR', numbers, 'imported');
  await service.database.pool.query(
    'update account set last_billed_to_date = $2 where external_account_number = any($1)',
    [numbers, lastBilledTo],
  );
}

/** Requests of a supplier's client, by operation. */
export function attachmentCalls(service: Service, token: string) {
  const post = (path: string, external: string, items: object): Promise<Answer> =>
    service.call('POST', `/v1/data-import/${path}`, {
      token,
      body: { import_supplier: 'SUPPLIER_FR', external_account_number: external, ...items },
    });
  return {
    notes: (external: string, notes: unknown) => post('notes/create/', external, { notes }),
    transactions: (external: string, transactions: unknown, query = '') =>
      post(`transactions/create/${query}`, external, { transactions }),
    statements: (external: string, statements: unknown) =>
      post('historical-statements/create/', external, { statements }),
    /** All stored attachments, as operators see them. */
    account: async (external: string): Promise<any> =>
      (await service.call('GET', `/v1/operations/accounts/SUPPLIER_FR/${external}/`, { token: service.operatorToken }))
        .body.account,
  };
}

export type AttachmentCalls = ReturnType<typeof attachmentCalls>;

/** Codes and places of a rejection. */
export function faultsOf(answer: Answer): string[] {
  return ((answer.body.errors ?? []) as { code: string; attr: string }[]).map(({ code, attr }) => `${code} ${attr}`);
}

export function payment(id: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    transaction_id: id,
    transaction_date: dayFromToday(0),
    amount: 62,
    type: 'PAYMENT',
    reason: 'ACCOUNT_CHARGE_PAYMENT',
    payment_type: 'DD_REGULAR_COLLECTION',
    reference: `RUM-${id}`,
    note: 'collected by the former supplier',
    ...overrides,
  };
}

export function charge(id: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    transaction_id: id,
    transaction_date: dayFromToday(0),
    amount: 12.5,
    type: 'CHARGE',
    reason: 'IMPORTED_CHARGE',
    display_note: 'Reminder fee',
    note: 'second letter',
    ...overrides,
  };
}

/** Two lines of 22.00 and 21 % tax: 53.24. */
export function supplyCharge(id: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const line = {
    start_date: '2026-09-01',
    end_date: '2026-09-30',
    number_of_units: 88,
    net_amount: 22,
    price_per_unit: 0.25,
    rate_band: 'CONSUMPTION_STANDARD',
    units: [4_100, 4_188],
  };
  return {
    transaction_id: id,
    transaction_date: dayFromToday(0),
    amount: 53.24,
    type: 'SUPPLY_CHARGE',
    product_code: 'ELEC-BASE-2026',
    display_note: 'September',
    line_items: [line, { ...line, price_per_unit: '0.2500', rate_band: '' }],
    tax_items: [{ amount: 9.24, tax_type: 'VAT', value_taxed: 44, rate: 0.21, unit_type: 'PROPORTION' }],
    ...overrides,
  };
}

export function statement(id: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    bill_period_from_date: '2026-09-01',
    bill_period_to_date: '2026-09-30',
    statement_id: id,
    issued_date: '2026-10-03',
    number: `N-${id}`,
    gross_amount: 84.5,
    statement_path: `/bills/${id}.pdf`,
    ...overrides,
  };
}

/** Number of rows of each named table for an account. */
export async function countRows(service: Service, external: string, ...tables: string[]): Promise<number[]> {
  return Promise.all(
    tables.map(async (table) => {
      const { rows } = await service.database.pool.query(
        `select count(*)::integer as n from ${table} t join account a on a.id = t.account_id where a.external_account_number = $1`,
        [external],
      );
      return rows[0].n as number;
    }),
  );
}
