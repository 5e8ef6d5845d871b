import { afterAll, expect, test } from '@jest/globals';
import { businessContract } from '../../support/account-payload.ts';
import { businessRequest, contractsRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
for (const sequence of [1, 2]) {
  await service.call('POST', '/v1/data-import/business/', { token, body: businessRequest({}, sequence) });
}

const add = async (body: unknown) => {
  const answer = await service.call('POST', '/v1/data-import/business-contracts/create/', { token, body });
  const errors = (answer.body.errors ?? []) as { code: string; attr: string }[];
  return { status: answer.status, code: answer.body.code, faults: errors.map(({ code, attr }) => `${code} ${attr}`) };
};
const contractsStored = async (): Promise<number> =>
  (await service.database.pool.query('select count(*)::integer as n from business_contract')).rows[0].n;

const broken = businessContract('BROKEN');
(broken.versions[0]!.terms[6] as { pays_by_direct_debit: unknown }).pays_by_direct_debit = 'yes';
const barter = businessContract('BARTER');
(barter.versions[0]!.terms[3] as { term_type: unknown }).term_type = 'BARTER';

test.each<[string, unknown, string[]]>([
  ['no contracts', { ...contractsRequest([]), business_contracts: [] }, ['empty business_contracts']],
  [
    'missing contracts',
    { import_supplier_code: 'SUPPLIER_FR', external_business_identifier: 'WORKS-1' },
    ['required business_contracts'],
  ],
  [
    'no names',
    { business_contracts: [businessContract('A')] },
    ['required import_supplier_code', 'required external_business_identifier'],
  ],
  [
    'a duplicate label',
    contractsRequest(['A', 'B', 'A']),
    ['duplicate_contract_identifiers business_contracts.2.identifier'],
  ],
  [
    'an invalid term',
    { ...contractsRequest(['A']), business_contracts: [businessContract('A'), broken] },
    ['invalid business_contracts.1.versions.0.terms.6.pays_by_direct_debit'],
  ],
  [
    'an unknown term type',
    { ...contractsRequest([]), business_contracts: [barter] },
    ['invalid_choice business_contracts.0.versions.0.terms.3.term_type'],
  ],
  [
    'a label of this business',
    contractsRequest(['NEW', 'FRAME-1']),
    ['contract_with_identifier_exists business_contracts.1.identifier'],
  ],
  [
    'labels of two businesses',
    contractsRequest(['FRAME-2', 'NEW', 'FRAME-1']),
    [
      'contract_with_identifier_exists business_contracts.0.identifier',
      'contract_with_identifier_exists business_contracts.2.identifier',
    ],
  ],
])('rejects %s, and stores no contract', async (_what, body, faults) => {
  const before = await contractsStored();
  expect(await add(body)).toEqual({ status: 400, code: 'validation_failed', faults });
  expect(await contractsStored()).toBe(before);
});

test('rejects repeated contracts, even with the same content', async () => {
  expect(await add(contractsRequest(['ONCE'])).then(({ status }) => status)).toBe(201);
  expect(await add(contractsRequest(['ONCE']))).toEqual({
    status: 400,
    code: 'validation_failed',
    faults: ['contract_with_identifier_exists business_contracts.0.identifier'],
  });
});
