import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { documentedFields, type DocumentedField } from '../support/every-field.ts';
import { startService } from '../support/harness.ts';

const service = await startService({ worker: true, settings: { PAYMENT_TIMEOUT_MS: '50' } });
afterAll(() => service.stop());
const document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument;
const tokens: Record<DocumentedField['role'], string | undefined> = {
  supplier: await service.supplierToken(['SUPPLIER_FR']),
  operator: service.operatorToken,
  public: undefined,
};

const TRANSACTIONS = '/v1/data-import/transactions/create';
const STAGE = '/v1/data-import/account-import-process/create-or-update/';
const small = (zeros: number) => `0.${'0'.repeat(zeros)}1`;

const typesOf = ({ type }: Record<string, any>): string[] => [type].flat();
const isDecimal = (schema: Record<string, any>) =>
  typesOf(schema).includes('number') || String(schema['pattern'] ?? '').includes('[0-9]+(?:\\.');

/** Marks a value that JSON.stringify would write differently. */
const MARK = 'the-literal-stands-here';
const withLiteral = (field: DocumentedField, literal: string) =>
  JSON.stringify(field.bodyWith(MARK)).replace(`"${MARK}"`, literal);

test.each<[string, string, string]>([
  ['of 41 characters', small(38), 'max_string_length'],
  ['that Postgres cannot hold', small(20_000), 'max_string_length'],
  ['with zeros behind the point', `1.${'0'.repeat(20_000)}`, 'max_string_length'],
  ['with zeros before the point', `${'0'.repeat(20_000)}1`, 'max_string_length'],
  ['of 13 places', small(12), 'max_decimal_places'],
  ['of 16 digits', '1.000000000000001', 'max_digits'],
])('rejects a decimal %s in every field of every operation', async (_name, decimal, code) => {
  const fields = documentedFields(document, isDecimal);
  expect(fields.map(({ attr }) => attr.split('.').at(-1))).toEqual(
    expect.arrayContaining([
      'amount',
      'net_amount',
      'number_of_units',
      'price_per_unit',
      'value_taxed',
      'rate',
      'gross_amount',
      'requests_per_second',
    ]),
  );
  const wrong: string[] = [];
  for (const field of fields) {
    const mayBeNumber = typesOf(field.schema).includes('number') && !decimal.startsWith('00');
    const literals = [
      ...(typesOf(field.schema).includes('string') ? [JSON.stringify(decimal)] : []),
      ...(mayBeNumber ? [decimal] : []),
    ];
    for (const literal of literals) {
      const { status, body } = await service.call(field.method, field.path, {
        token: tokens[field.role],
        body: withLiteral(field, literal),
      });
      const named = body?.errors?.find(({ attr }: { attr: string }) => attr === field.attr)?.code;
      // Some operations of operators accept small bodies only.
      if (status !== 413 && (status !== 400 || named !== code)) {
        wrong.push(`${field.method} ${field.path} ${field.attr} ${literal.slice(0, 20)}: ${status} ${named}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

/** A charge whose lines add up only by adding a long decimal thousands of times. */
function charge(decimal: string, taxItems: number) {
  return {
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'NOBODY',
    transactions: [
      {
        transaction_id: 'T-1',
        transaction_date: '2026-01-01',
        type: 'SUPPLY_CHARGE',
        product_code: 'P',
        amount: 1,
        line_items: [{ start_date: '2026-01-01', end_date: '2026-01-02', number_of_units: 1, net_amount: decimal }],
        tax_items: Array.from({ length: taxItems }, () => ({ amount: 1, tax_type: 'VAT' })),
      },
    ],
  };
}

test('validates a long decimal as fast as a long text', async () => {
  const zeros = 600_000;
  const attack = charge(small(zeros), 9_000);
  const harmless = charge('x'.repeat(zeros), 9_000);
  const cost = async (body: unknown) => {
    const bytes = gzipSync(JSON.stringify(body));
    const { user: before } = process.cpuUsage();
    const answer = await service.call('POST', TRANSACTIONS, {
      token: tokens.supplier,
      body: bytes,
      headers: { 'content-encoding': 'gzip' },
    });
    return { answer, micros: process.cpuUsage().user - before };
  };
  const usual = Math.min((await cost(harmless)).micros, (await cost(harmless)).micros);
  const { answer, micros } = await cost(attack);
  expect(answer).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'max_string_length', attr: 'transactions.0.line_items.0.net_amount' }] },
  });
  expect(micros).toBeLessThan(20 * usual);
});

test('rejects a payment schedule whose amount Postgres cannot store', async () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR' });
  account.supply_addresses![0]!.supply_points[0]!.payment_schedules![0]!.amount = small(20_000);
  const staged = await service.call('POST', STAGE, { token: tokens.supplier, body: account });
  expect(staged).toMatchObject({
    status: 400,
    body: {
      errors: [{ code: 'max_string_length', attr: 'supply_addresses.0.supply_points.0.payment_schedules.0.amount' }],
    },
  });
});

test('rejects data at creation that was staged under older limits', async () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'STAGED-BEFORE' });
  expect((await service.call('POST', STAGE, { token: tokens.supplier, body: account })).status).toBe(201);
  account.supply_addresses![0]!.supply_points[0]!.payment_schedules![0]!.amount = small(20_000);
  await service.database.pool.query(
    `update import_process set payload = $1, validated_with = '1-000000000000/0' where external_account_number = 'STAGED-BEFORE'`,
    [JSON.stringify(account)],
  );
  const created = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token: tokens.supplier,
    body: {
      import_supplier_code: 'SUPPLIER_FR',
      external_account_number: 'STAGED-BEFORE',
      operations_team_name: 'Migration',
    },
  });
  expect(created).toMatchObject({
    status: 400,
    body: {
      code: 'import_process_failed_validation',
      errors: [{ code: 'max_string_length', attr: 'supply_addresses.0.supply_points.0.payment_schedules.0.amount' }],
    },
  });
});
