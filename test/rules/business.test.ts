import { expect, test } from '@jest/globals';
import {
  contractTermFields,
  createBusinessSchema,
  type CreateBusinessRequest,
} from '../../src/businesses/business.schema.ts';
import {
  differenceViolations,
  findAddedContractViolations,
  findBusinessViolations,
  type BusinessFacts,
} from '../../src/businesses/business.rules.ts';
import { compilePayload } from '../../src/platform/validation/compile-payload.ts';
import { businessRequest } from '../support/business-payload.ts';

const check = compilePayload<CreateBusinessRequest, BusinessFacts>(createBusinessSchema, findBusinessViolations);
const facts = { supplierCodes: new Set(['SUPPLIER_FR']) };
const termsPath = 'business.business_contracts.0.versions.0.terms';

function faultsOf(request: unknown): string[] {
  return check(request, facts).violations.map(({ code, attr }) => `${code} ${attr}`);
}

function termsOf(request: CreateBusinessRequest): Record<string, unknown>[] {
  return request.business.business_contracts[0]!.versions[0]!.terms;
}

test('has a valid sample with a term of every type', () => {
  expect(
    termsOf(businessRequest())
      .map((term) => term['term_type'])
      .sort(),
  ).toEqual(Object.keys(contractTermFields).sort());
  expect(faultsOf(businessRequest())).toEqual([]);
});

const fields = Object.entries(contractTermFields).flatMap(([type, ofType]) =>
  Object.keys(ofType).map((field) => [type, field] as const),
);

test.each(fields)('reports for a term %s without %s at most this one violation', (type, field) => {
  const request = businessRequest();
  const index = termsOf(request).findIndex((term) => term['term_type'] === type);
  delete termsOf(request)[index]![field];
  const optional = ['TERMINATION_FEE.supply_type', 'RATE_GROUP_ELIGIBILITY.time_series_specification_schedules'];
  expect(faultsOf(request)).toEqual(
    optional.includes(`${type}.${field}`) ? [] : [`required ${termsPath}.${index}.${field}`],
  );
});

test.each(fields)('drops from a term %s the field %s of terms of other types', (type, field) => {
  const request = businessRequest();
  for (const term of termsOf(request)) {
    if (!(field in contractTermFields[term['term_type'] as keyof typeof contractTermFields])) {
      term[field] = { not: 'looked at' };
    }
  }
  const { data, violations } = check(request, facts);
  expect(violations).toEqual([]);
  for (const term of termsOf(data)) {
    expect([type, field in term]).toEqual([
      type,
      field in contractTermFields[term['term_type'] as keyof typeof contractTermFields],
    ]);
  }
});

test('reports a term of an unknown type once, at its type', () => {
  for (const type of ['LATE_FEE', 'constructor', '__proto__', '', 7, null]) {
    const request = businessRequest();
    termsOf(request)[4] = { term_type: type, days: 'many' };
    expect(faultsOf(request)).toHaveLength(1);
    expect(faultsOf(request)[0]).toMatch(
      new RegExp(`^(invalid_choice|blank|null|invalid) ${termsPath}.4.term_type$`.replaceAll('.', '\\.')),
    );
  }
});

test.each([
  1,
  'text',
  [],
  {},
  { business: 1 },
  { business: { business_contracts: [1, null, { versions: 'x' }], details: 'x' } },
])('survives %j', (payload) => {
  expect(() => findBusinessViolations(payload as never, facts)).not.toThrow();
  expect(() => findAddedContractViolations(payload as never, {})).not.toThrow();
});

test('lists differences in payload order: fields, contracts by index, missing contracts', () => {
  const found = differenceViolations({ fields: ['company_name'], changed: [4], unknown: [2, 7], missing: ['OLD'] });
  expect(found.map(({ attr }) => attr)).toEqual([
    'business.company_name',
    'business.business_contracts.2',
    'business.business_contracts.4',
    'business.business_contracts.7',
    'business.business_contracts',
  ]);
  expect(found.at(-1)!.detail).toContain('OLD');
  expect(differenceViolations({ fields: [], changed: [], unknown: [], missing: [] })).toEqual([]);
});
