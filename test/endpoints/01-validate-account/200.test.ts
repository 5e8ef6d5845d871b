import { afterAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const PATH = '/v1/data-import/validate-account/';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const validate = (body: unknown, headers?: Record<string, string>) =>
  service.call('POST', PATH, { token, body, ...(headers ? { headers } : {}) });
const supplier = { import_supplier: 'SUPPLIER_FR' };

/** The response as text: JSON.parse would round what the test must see. */
async function validatedText(body: string): Promise<string> {
  const response = await fetch(service.url + PATH, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(200);
  return response.text();
}

/** Adds an undocumented member to every object, except inside free values. */
function withUnknownMembers(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withUnknownMembers(item));
  if (typeof value !== 'object' || value === null || key === 'value' || key === 'metadata') return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === 'metadata' && !Array.isArray(member)
      ? member
      : withUnknownMembers(member, name === 'metadata' ? '' : name),
  ]);
  return Object.fromEntries([['future_field', { deep: [1] }], ...members, ['zzz', null]]);
}

/** Puts blanks around every string, except inside free values. */
function withBlanks(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return ` \t${value}\n `;
  if (Array.isArray(value)) return value.map((item) => withBlanks(item));
  if (typeof value !== 'object' || value === null || key === 'value') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'metadata' && !Array.isArray(member) ? member : withBlanks(member, name === 'metadata' ? '' : name),
    ]),
  );
}

test.each([
  ['household', domesticAccount(supplier, 1)],
  ['business', businessAccount(supplier, 2)],
])('returns the full account of a %s as sent, and stores nothing', async (_kind, account) => {
  const answer = await validate(account);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.body).toEqual(account);
  const { rows } = await service.database.pool.query('select from import_process');
  expect(rows).toHaveLength(0);
});

test('drops undocumented members at every depth', async () => {
  const account = businessAccount(supplier, 3);
  const sent = withUnknownMembers(account);
  expect(JSON.stringify(sent).match(/future_field/g)?.length).toBeGreaterThan(40);
  expect((await validate(sent)).body).toEqual(account);
});

test('trims strings, and keeps blanks inside them and in free values', async () => {
  const account = businessAccount(
    { ...supplier, billing_address1: 'a  b', metadata: [{ key: 'free', value: { ' a ': ' b ' } }] },
    4,
  );
  const answer = await validate(withBlanks(account));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(account);
});

test('keeps free values unchanged: the order of keys, nulls, 30 digits and exponents byte for byte', async () => {
  const value =
    '{"z":123456789012345678901234567890,"a":1e400,"b":[-1.5E-7,0.1234567890123456789,null,"",{}],"__proto__":{"x":1},"constructor":2}';
  const account = JSON.stringify(domesticAccount({ ...supplier, metadata: [{ key: 'exact', value: {} }] }, 5)).replace(
    '"value":{}',
    `"value":${value}`,
  );
  expect(await validatedText(account)).toContain(`"value":${value}`);
});

test('keeps free values of contract terms unchanged', async () => {
  const term =
    '{"term_type":"CONTRACT_METADATA","metadata":{"exact":98765432109876543210.5,"deep":[{"unknown":null}]}}';
  const account = JSON.stringify(
    businessAccount(
      {
        ...supplier,
        account_contracts: [
          {
            identifier: 'C',
            valid_from_date: '2024-01-01',
            versions: [{ applicable_at_date: '2024-01-01', terms: [] }],
          },
        ],
      },
      6,
    ),
  );
  expect(await validatedText(account.replace('"terms":[]', `"terms":[${term}]`))).toContain(term);
});

test('returns an empty string of an optional field as empty, and a null as null', async () => {
  const account = domesticAccount(
    {
      ...supplier,
      billing_address1: '',
      billing_postcode: '',
      sales_channel: '',
      last_billed_to_date: '',
      account_type: '' as never,
    },
    7,
  );
  expect((await validate(account)).body).toEqual(account);
  expect((await validate(account)).body.customers[1]).toMatchObject({ email: null, mobile: null, landline: '' });
});

test('returns money in the form that was sent: number as number, string as string', async () => {
  const { body } = await validate(domesticAccount(supplier, 8));
  expect(
    body.supply_addresses[0].supply_points[0].payment_schedules.map(({ amount }: { amount: unknown }) => amount),
  ).toEqual([61.25, '72.40']);
});

test('returns strings in any script, with quotes and emoji, unchanged', async () => {
  const account = domesticAccount(
    { ...supplier, external_account_number: 'Ω"\\/号😀', billing_address1: '\u2028\u2029é\u0301"\\' },
    9,
  );
  expect((await validate(account)).body).toMatchObject({
    external_account_number: 'Ω"\\/号😀',
    billing_address1: 'é\u0301"\\',
  });
});

test.each([['application/json; charset=utf-8'], ['application/json;charset="UTF-8"'], ['APPLICATION/JSON']])(
  'accepts %s as JSON',
  async (type) => {
    expect((await validate(domesticAccount(supplier, 10), { 'content-type': type })).status).toBe(200);
  },
);

test('accepts the path without its trailing slash', async () => {
  const answer = await service.call('POST', PATH.slice(0, -1), { token, body: domesticAccount(supplier, 11) });
  expect(answer.status).toBe(200);
});
