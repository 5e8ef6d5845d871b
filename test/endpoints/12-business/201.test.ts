import { afterAll, expect, test } from '@jest/globals';
import type { CreateBusinessRequest } from '../../../src/businesses/business.schema.ts';
import { createBusiness } from '../../../src/businesses/create-business.store.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../../src/platform/database/database.ts';
import { run, type PreparedQuery } from '../../../src/platform/database/prepared-query.ts';
import { businessContract } from '../../support/account-payload.ts';
import { businessRequest, contractsRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const create = (body: unknown) => service.call('POST', '/v1/data-import/business/', { token, body });
const count = async (table: string): Promise<number> =>
  (await service.database.pool.query(`select count(*)::integer as n from ${table}`)).rows[0].n;

test('creates a business with contracts of all nine term types, each stored in its own tables', async () => {
  const answer = await create(businessRequest({}, 1));
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ service_business_id: expect.any(Number), external_business_identifier: 'WORKS-1' });
  expect(Number.isInteger(answer.body.service_business_id)).toBe(true);
  const { rows } = await service.database.pool.query(`
    select c.identifier, count(distinct v.position)::integer as versions, count(t)::integer as terms, count(distinct t.term_type)::integer as types
    from business b join business_contract c on c.business_id = b.id
      join contract_version v on v.business_contract_id = c.id
      left join contract_term t on t.business_contract_id = c.id and t.version_position = v.position
    where b.external_business_identifier = 'WORKS-1' group by 1`);
  expect(rows).toEqual([{ identifier: 'FRAME-1', versions: 2, terms: 9, types: 9 }]);
});

test('accepts a business without contracts, details, type or SIRET', async () => {
  const sparse = { ...businessRequest({}, 2), business: { company_name: 'Atelier Sud', business_contracts: [] } };
  expect((await create(sparse)).status).toBe(201);
  expect(
    (await create({ ...sparse, business: { ...sparse.business, business_type: '', siret: '', details: [] } })).status,
  ).toBe(201);
});

test('returns the same id for a repeated request, ignoring order and absent values', async () => {
  const first = await create(businessRequest({}, 3));
  const businesses = await count('business');
  const again = businessRequest({}, 3);
  again.business.siret = ` ${again.business.siret!.replace(/^(...)(...)/, '$1 $2.')} `;
  again.business.details!.reverse();
  for (const contract of again.business.business_contracts) contract.versions.reverse();
  const undocumented = { ...again, business: { ...again.business, colour: 'blue' } };
  const second = await create(undocumented);
  expect(second.status).toBe(201);
  expect(second.body).toEqual({
    ...first.body,
    warnings: [expect.objectContaining({ code: 'unknown_member', attr: 'business.colour' })],
  });
  expect(await count('business')).toBe(businesses);
});

test('treats a repeated request as the same after contracts were added, with or without them', async () => {
  const first = await create(businessRequest({}, 4));
  await service.call('POST', '/v1/data-import/business-contracts/create/', {
    token,
    body: contractsRequest(['LATER-4'], 4),
  });
  const withLater = businessRequest({}, 4);
  withLater.business.business_contracts.unshift(businessContract('LATER-4'));
  for (const body of [businessRequest({}, 4), withLater]) {
    const answer = await create(body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(first.body);
  }
});

test('gives two businesses two ids, and scopes identifiers and labels to the import supplier', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/OTHER/', { token: service.operatorToken, body: {} });
  const both = await service.supplierToken(['SUPPLIER_FR', 'OTHER']);
  const send = (body: CreateBusinessRequest) => service.call('POST', '/v1/data-import/business', { token: both, body });
  const [one, other] = await Promise.all([
    send(businessRequest({}, 5)),
    send({ ...businessRequest({}, 5), import_supplier_code: 'OTHER' }),
  ]);
  expect([one.status, other.status]).toEqual([201, 201]);
  expect(one.body.service_business_id).not.toBe(other.body.service_business_id);
});

test('creates one business for ten equal concurrent requests, and returns its id to all', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(businessRequest({}, 6))));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  expect(new Set(answers.map(({ body }) => body.service_business_id)).size).toBe(1);
  const { rows } = await service.database.pool.query(
    `select count(*)::integer as n from business where external_business_identifier = 'WORKS-6'`,
  );
  expect(rows[0].n).toBe(1);
});

test('creates one of two concurrent businesses that share labels, without a deadlock', async () => {
  for (let round = 0; round < 5; round += 1) {
    const labels = Array.from({ length: 30 }, (_, index) => `SHARED-${round}-${index}`);
    const body = (sequence: number, order: string[]) =>
      businessRequest({ business_contracts: order.map(businessContract) }, sequence);
    const answers = await Promise.all([
      create(body(100 + round, labels)),
      create(body(200 + round, [...labels].reverse())),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const refused = answers.find(({ status }) => status === 400)!;
    expect(refused.body.errors).toHaveLength(30);
    expect(refused.body.errors[0]).toMatchObject({
      code: 'contract_with_identifier_exists',
      attr: 'business.business_contracts.0.identifier',
    });
  }
});

test('uses the same number of statements for any number of contracts', async () => {
  let count = 0;
  const counting: Database = {
    ...service.database,
    transaction: (work) =>
      service.database.transaction((em) =>
        work({
          run: (query: PreparedQuery, values: unknown[]) => {
            count += 1;
            return run(em, query, values);
          },
        } as unknown as EntityManager),
      ),
  };
  for (const [index, size] of [0, 1, 300].entries()) {
    count = 0;
    const labels = Array.from({ length: size }, (_, label) => `COUNT-${size}-${label}`);
    const outcome = await createBusiness(
      counting,
      businessRequest({ business_contracts: labels.map(businessContract) }, 10 + index),
    );
    expect(outcome.kind).toBe('created');
    expect(count).toBe(2);
  }
});

test('accepts a business with 1,000 contracts in one payload, and 1,000 more afterwards', async () => {
  const labels = (kind: string) => Array.from({ length: 1_000 }, (_one, index) => `${kind}-${index}`);
  const { business_contracts: contracts } = contractsRequest(labels('FIRST'));
  // Larger than most: two versions with a term of every type.
  for (const contract of contracts.slice(0, 400)) {
    contract.versions.push({ ...contract.versions[0]!, applicable_at_date: '2027-01-01' });
  }
  const sent = businessRequest({ business_contracts: contracts }, 90);
  expect(Buffer.byteLength(JSON.stringify(sent))).toBeGreaterThan(1_290_000);
  const created = await create(sent);
  expect(created.status).toBe(201);
  expect(await create(sent)).toMatchObject({ status: 201, body: created.body });
  const added = await service.call('POST', '/v1/data-import/business-contracts/create/', {
    token,
    body: contractsRequest(labels('MORE'), 90),
  });
  expect(added.status).toBe(201);
  expect(added.body.business_contracts).toHaveLength(1_000);
});
