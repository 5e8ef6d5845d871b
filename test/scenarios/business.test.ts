import { afterAll, expect, test } from '@jest/globals';
import { businessAccount, businessContract } from '../support/account-payload.ts';
import { businessRequest, contractsRequest } from '../support/business-payload.ts';
import { startService, type Answer } from '../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
await service.call('PUT', '/v1/operations/import-suppliers/OTHER/', { token: service.operatorToken, body: {} });
const token = await service.supplierToken(['SUPPLIER_FR', 'OTHER']);

const post = (path: string, body: unknown): Promise<Answer> =>
  service.call('POST', `/v1/data-import/${path}/`, { token, body });
const readBusiness = async (sequence: number) =>
  (
    await service.call('GET', `/v1/operations/businesses/SUPPLIER_FR/WORKS-${sequence}/`, {
      token: service.operatorToken,
    })
  ).body;

async function stage(sequence: number, label: string): Promise<string> {
  const account = businessAccount({ import_supplier: 'SUPPLIER_FR' }, sequence);
  account.business = { ...account.business, business_contract_identifier: label };
  const { status } = await post('account-import-process/create-or-update', account);
  expect([200, 201]).toContain(status);
  return account.external_account_number;
}

const create = (external: string, more: object = {}) =>
  post('account-import-process/process', {
    external_account_number: external,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
    ...more,
  });
const unknownLabel = { code: 'business_contract_not_found', attr: 'business.business_contract_identifier' };

// Runs the whole story twice: each run leaves the other's data alone.
test.each([1, 2])(
  'creates a business, an account with its label, one with an unknown label, and a contract added later (round %d)',
  async (round) => {
    const created = await post('business', businessRequest({}, round));
    expect(created.status).toBe(201);
    expect((await post('business', businessRequest({}, round))).body).toEqual(created.body);

    const linked = await stage(round * 10, `FRAME-${round}`);
    expect((await create(linked, { dry_run: true })).body.code).toBe('dry_run_succeeded');
    const first = await create(linked);
    expect(first.status).toBe(201);

    const early = await stage(round * 10 + 1, `LATER-${round}`);
    for (const more of [{ dry_run: true }, {}]) {
      const refused = await create(early, more);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ code: 'import_process_failed_validation', errors: [unknownLabel] });
    }
    expect((await post('business-contracts/create', contractsRequest([`LATER-${round}`], round))).status).toBe(201);
    const second = await create(early);
    expect(second.status).toBe(201);

    const stored = await readBusiness(round);
    expect(stored.business.business_contracts.map(({ identifier }: { identifier: string }) => identifier)).toEqual([
      `FRAME-${round}`,
      `LATER-${round}`,
    ]);
    expect(stored.accounts).toEqual([
      {
        external_account_number: linked,
        service_account_number: first.body.service_account_number,
        business_contract_identifier: `FRAME-${round}`,
        account_created_at: expect.any(String),
      },
      {
        external_account_number: early,
        service_account_number: second.body.service_account_number,
        business_contract_identifier: `LATER-${round}`,
        account_created_at: expect.any(String),
      },
    ]);
  },
);

test('does not accept a contract of another import supplier', async () => {
  const foreign = businessRequest({ business_contracts: [businessContract('FOREIGN')] }, 30);
  expect((await post('business', { ...foreign, import_supplier_code: 'OTHER' })).status).toBe(201);
  const answer = await create(await stage(300, 'FOREIGN'));
  expect(answer.body).toMatchObject({ code: 'import_process_failed_validation', errors: [unknownLabel] });
});

test('gives each account of a batch its own outcome: with a label, with an unknown one, and without one', async () => {
  expect(
    (await post('business', businessRequest({ business_contracts: ['BATCH-A', 'BATCH-B'].map(businessContract) }, 40)))
      .status,
  ).toBe(201);
  const labels = Array.from({ length: 24 }, (_, index) => ['BATCH-B', 'MISSING', '', 'BATCH-A'][index % 4] as string);
  const externals = await Promise.all(labels.map((label, index) => stage(400 + index, label)));
  const answers = await Promise.all(externals.map((external) => create(external)));
  for (const [index, label] of labels.entries()) {
    expect([label, answers[index]!.status]).toEqual([label, label === 'MISSING' ? 400 : 201]);
  }
  const { accounts } = await readBusiness(40);
  const expected = externals.flatMap((external, index) =>
    labels[index]!.startsWith('BATCH') ? [`${external} ${labels[index]}`] : [],
  );
  expect(
    accounts.map(
      (account: Record<string, string>) =>
        `${account['external_account_number']} ${account['business_contract_identifier']}`,
    ),
  ).toEqual(expected.sort());
  const { rows } = await service.database.pool.query(`
    select count(*)::integer as n from account a left join business_contract c on c.id = a.business_contract_id
    where a.business_contract_identifier is distinct from c.identifier`);
  expect(rows).toEqual([{ n: 0 }]);
});
