import { afterAll, expect, test } from '@jest/globals';
import { businessContract } from '../../support/account-payload.ts';
import { businessRequest, contractsRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
for (const sequence of [1, 2, 3]) {
  await service.call('POST', '/v1/data-import/business/', { token, body: businessRequest({}, sequence) });
}

const add = (body: unknown) => service.call('POST', '/v1/data-import/business-contracts/create/', { token, body });
const labelsOf = async (sequence: number): Promise<string[]> => {
  const { body } = await service.call('GET', `/v1/operations/businesses/SUPPLIER_FR/WORKS-${sequence}/`, {
    token: service.operatorToken,
  });
  return body.business.business_contracts.map(({ identifier }: { identifier: string }) => identifier);
};

test('adds contracts to existing ones, and answers in the order of the request', async () => {
  const answer = await add(contractsRequest([' Z-LATER ', 'A-LATER'], 1));
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ business_contracts: [{ identifier: 'Z-LATER' }, { identifier: 'A-LATER' }] });
  expect((await add(contractsRequest(['M-LATER'], 1))).status).toBe(201);
  expect(await labelsOf(1)).toEqual(['FRAME-1', 'Z-LATER', 'A-LATER', 'M-LATER']);
});

test('accepts contracts when the supplier is paused or complete', async () => {
  for (const status of ['Paused', 'Complete']) {
    await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
      token: service.operatorToken,
      body: { status },
    });
    expect((await add(contractsRequest([`WHILE-${status}`], 2))).status).toBe(201);
  }
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { status: 'Ongoing' },
  });
});

test('adds the contracts of all concurrent requests, and one of two with the same label', async () => {
  const different = await Promise.all(
    Array.from({ length: 8 }, (_, index) => add(contractsRequest([`PARALLEL-${index}`], 3))),
  );
  expect(different.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  for (let round = 0; round < 5; round += 1) {
    const labels = Array.from({ length: 20 }, (_, index) => `RACE-${round}-${index}`);
    // One business each, so that only the labels conflict.
    const answers = await Promise.all([
      add(contractsRequest(labels, 1)),
      add(contractsRequest([...labels].reverse(), 2)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)!.body.errors[0]).toMatchObject({
      code: 'contract_with_identifier_exists',
      attr: 'business_contracts.0.identifier',
    });
  }
  expect(new Set(await labelsOf(3)).size).toBe(9);
});

test('accepts five hundred contracts in one request', async () => {
  const many = {
    ...contractsRequest([], 2),
    business_contracts: Array.from({ length: 500 }, (_, index) => businessContract(`MANY-${index}`)),
  };
  const answer = await add(many);
  expect(answer.status).toBe(201);
  expect(answer.body.business_contracts).toHaveLength(500);
});
