import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';

/** More by hand: `HOSTILE_RUNS=5000 npm run -s jest -- test/http/hostile-client`. */
const RUNS = Number(process.env['HOSTILE_RUNS'] ?? 150);

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  token = await service.supplierToken(['SUPPLIER_FR']);
});
afterAll(async () => { await service.stop(); });

const V1 = '/v1/data-import/account-import-process';
const post = (path: string, body: string) => service.call('POST', path, { token, body });

/** Stands for a literal that JSON.stringify cannot write. */
const literals = ['1e400', '-1e-400', '1e99999', '12345678901234567890', '0.1234567890123456789', '-0', '1E+2', '1e308', '9007199254740993', '-2147483649', '4294967296', '1.0'];
const LITERAL = (index: number) => `@@${index}@@`;
const toText = (value: unknown) => JSON.stringify(value)?.replace(/"@@(\d+)@@"/g, (_all, index: string) => literals[Number(index)] as string) ?? '';

const text = fc.oneof(
  fc.constantFrom('', ' ', '\u0000', '\ud800', '\udfff\ud800', '😀', '\u00a0', '\ufeff', '\u200b', '\u2028', '\\', '"', "'", '\n', '%00', '../', '//', '/', 'null', 'NaN', 'Infinity', '1e5', '-', '0', '00', '0.0', '.5', '5.', '1,5', '+1', 'true', '{}', '__proto__',
    '1900-01-01', '2199-12-31', '2024-02-29', '2023-02-29', '0000-00-00', 'infinity', '-infinity', 'now', 'epoch', 'today', '2024-12-31T23:59:59Z', '2024-12-31T23:59:60Z', '2024-01-01T00:00:00+14:59', '1900-01-01T00:00:00-14:59', '2199-12-31T23:59:59.999999999-14:00', '2024-01-01T24:00:00Z',
    'DD', 'CARD', 'GAS', 'ELECTRICITY', 'PASSIVE', 'ACTIVE_EXISTING', 'BUSINESS', 'PORTFOLIO_LEAD', 'DOMESTIC_OCCUPIER', 'ANNUALLY', 'GI123456', '20000000000000', '999999999999999', '0.000000000000001', '-999999999999999', '+33612345678', '06 12 34 56 78', '+1 900 123 4567;ext=12', 'tel:+33612345678', '+882161234567', 'a@b.fr', '"a b"@example.org', 'é@exämple.org', '732 829 320 00074', '73282932000074'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.tuple(fc.constantFrom('x', 'é', '字', '😀', ' ', '\t', '"', '\\'), fc.constantFrom(20, 32, 64, 128, 254, 255, 512, 513, 1_024, 1_025, 70_000)).map(([unit, count]) => unit.repeat(count)),
  fc.tuple(fc.constantFrom(32, 64, 128, 255, 512, 1_024), fc.integer({ min: 0, max: 20_000 })).map(([count, seed]) => Array.from({ length: count }, (_, index) => String.fromCodePoint(0x10000 + ((index * 7_919 + seed) % 50_000))).join('')),
);
const scalar = fc.oneof(text, text, fc.nat({ max: literals.length - 1 }).map(LITERAL), fc.constantFrom(null, true, false, 0, 1, -1, 0.1, 31, 32, 2_147_483_647, 2_147_483_648, 1e15, 999_999_999_999_999));
const anything = fc.oneof({ weight: 6, arbitrary: scalar }, { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) }, { weight: 1, arbitrary: fc.dictionary(text, scalar, { maxKeys: 3 }) }, { weight: 1, arbitrary: fc.constantFrom([], {}, [[]], [{}], [null]) });
const mutation = fc.record({ at: fc.nat(), kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'double', 'swap', 'empty'), value: anything, other: fc.nat() });

/** Every place of a value: the container and the key. */
function placesIn(value: any): [any, string | number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [[value, Array.isArray(value) ? Number(key) : key] as [any, string | number], ...placesIn(value[key])]);
}

function mutate(account: any, { at, kind, value, other }: { at: number; kind: string; value: unknown; other: number }): void {
  const places = placesIn(account);
  if (places.length === 0) return;
  const [container, key] = places[at % places.length] as [any, string | number];
  const [otherContainer, otherKey] = places[other % places.length] as [any, string | number];
  if (kind === 'replace') container[key] = value;
  else if (kind === 'remove' && Array.isArray(container)) container.splice(Number(key), 1);
  else if (kind === 'remove') delete container[key];
  else if (kind === 'double' && Array.isArray(container)) container.push(structuredClone(container[Number(key)]));
  else if (kind === 'double') container[`${key}2`] = container[key];
  else if (kind === 'swap') container[key] = structuredClone(otherContainer[otherKey]);
  else container[key] = Array.isArray(container[key]) ? [] : typeof container[key] === 'object' ? {} : '';
}

test('whatever becomes of a payload, it is validated, staged and tried without a fault of ours; what is valid can be created', async () => {
  let staged = 0;
  await fc.assert(fc.asyncProperty(fc.boolean(), fc.array(mutation, { minLength: 1, maxLength: 4 }), async (isBusiness, mutations) => {
    const account: any = isBusiness ? businessAccount({ import_supplier: 'SUPPLIER_FR' }, 1) : domesticAccount({ import_supplier: 'SUPPLIER_FR' }, 1);
    if (isBusiness) delete account.business.business_contract_identifier;
    for (const one of mutations) mutate(account, one);
    const body = toText(account);
    const validated = await post('/v1/data-import/validate-account/', body);
    const stagedAnswer = await post(`${V1}/create-or-update/`, body);
    expect([200, 400, 413]).toContain(validated.status);
    expect([200, 201, 400, 413]).toContain(stagedAnswer.status);
    // Both judge by the same rules.
    expect(stagedAnswer.status < 300).toBe(validated.status === 200);
    if (stagedAnswer.status === 400) expect(stagedAnswer.body).toEqual(validated.body);
    if (stagedAnswer.status >= 300) return;
    staged += 1;
    const tried = await post(`${V1}/process/`, JSON.stringify({ ...creationOf(stagedAnswer.body), dry_run: true }));
    expect([tried.status, tried.body.code]).toEqual([400, expect.stringMatching(/^(dry_run_succeeded|import_process_failed_validation)$/)]);
  }), { numRuns: RUNS, endOnFailure: RUNS > 1_000 });
  expect(staged).toBeGreaterThan(RUNS / 20);
}, 3_600_000);

function creationOf(staged: { import_supplier: string; external_account_number: string }) {
  return { import_supplier_code: staged.import_supplier, external_account_number: staged.external_account_number, operations_team_name: 'Migration' };
}

test('whatever becomes of a creation request, a path or a query, there is no fault of ours', async () => {
  const segment = fc.oneof(text.map((sent) => encodeURIComponent(sent.toWellFormed())), fc.constantFrom('%00', '%', '%zz', '%ED%A0%80', '..%2f', 'SUPPLIER_FR'));
  await fc.assert(fc.asyncProperty(fc.dictionary(fc.constantFrom('external_account_number', 'import_supplier_code', 'operations_team_name', 'dry_run', 'other'), anything), segment, segment, text, async (request, supplier, external, query) => {
    const answers = await Promise.all([
      post(`${V1}/process/`, toText({ ...request, dry_run: request['dry_run'] ?? true })),
      service.call('GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${external.slice(0, 2_000)}/`, { token }),
      service.call('GET', `/v1/data-import/account-transfer-status/${supplier.slice(0, 2_000)}/${external.slice(0, 2_000)}/`, { token }),
      service.call('GET', `/v1/data-import/all-account-import-processes/SUPPLIER_FR/?limit=1&cursor=${encodeURIComponent(query.toWellFormed()).slice(0, 2_000)}`, { token }),
      service.call('GET', `/v1/data-import/pending-account-import-processes/SUPPLIER_FR/?cursor=${Buffer.from(query).toString('base64url').slice(0, 2_000)}`, { token }),
    ]);
    for (const answer of answers) expect([200, 400, 404, 405]).toContain(answer.status);
  }), { numRuns: RUNS });
}, 3_600_000);
