import { afterAll, expect, test } from '@jest/globals';
import { points, startPopulation, sums } from '../../support/population.ts';

const service = await startPopulation();
afterAll(() => service.stop());

const WITH = { customer_authorisation: true };
/** The authorisations that the simulator received for these points. */
const authorisationsOf = (identifiers: readonly string[]) =>
  service.enedis.calls
    .filter(({ identifier }) => identifiers.includes(identifier))
    .map(({ identifier, body }) => `${identifier} ${/<autorisationClient>(\w+)</.exec(body)?.[1]}`)
    .toSorted();
const organisationOfToken = async (): Promise<string> =>
  (
    await service.database.pool.query(
      'select o.name from organisation o join api_key k on k.organisation_id = o.id join api_key_import_supplier s on s.api_key_id = k.id order by o.created_at limit 1',
    )
  ).rows[0].name;
const setOrganisation = async (isAuthorised: boolean) =>
  service.call('PUT', `/v1/operations/organisations/${encodeURIComponent(await organisationOfToken())}/`, {
    token: service.operatorToken,
    body: { customer_authorisation: isAuthorised, reason: 'mandates checked' },
  });

test('sends no authorisation to the network operator by default, and gets fewer facts', async () => {
  const [point] = points(1, 70_000_000_000_000) as [string];
  const status = await service.ended(await service.populate([point]));
  expect(status).toMatchObject({
    customer_authorisation: false,
    customer_category: 'Domestic',
    import_suppliers: ['SUPPLIER_FR'],
    imported_requests: { prm_ids: [point] },
  });
  expect(authorisationsOf([point])).toEqual([`${point} false`]);
  expect(status.imported_results.prms).toEqual([
    {
      id: point,
      facts: expect.not.objectContaining({ subscribed_power: expect.anything() }),
      source: 'enedis-sge',
      looked_up_at: expect.any(String),
    },
  ]);
  expect(status.imported_results.prms[0].facts).toMatchObject({ segment: 'C5' });
});

test('sends the authorisation of the batch to the network operator, and shows it in status and audit', async () => {
  const [point] = points(1, 70_100_000_000_000) as [string];
  const batchId = await service.populate([point], ['GI153884'], { ...WITH, customer_category: 'Professional' });
  const status = await service.ended(batchId);
  expect(status).toMatchObject({ customer_authorisation: true, customer_category: 'Professional' });
  expect(authorisationsOf([point])).toEqual([`${point} true`]);
  expect(status.imported_results).toMatchObject({
    prms: [{ id: point, facts: { subscribed_power: '3 kVA' } }],
    pces: [{ id: 'GI153884', facts: { distribution_tariff: 'T2' }, source: 'grdf-adict' }],
  });
  const { body } = await service.call('GET', `/v1/operations/audit/?subject=population-batches/${batchId}`, {
    token: service.operatorToken,
  });
  expect(body).toMatchObject([
    {
      action: 'population_batch.accepted',
      after: {
        prm_ids: 1,
        pce_ids: 1,
        import_suppliers: ['SUPPLIER_FR'],
        customer_authorisation: true,
        customer_authorisation_from: 'request',
      },
    },
  ]);
});

test('marks a point as errored that is rejected without an authorisation, and looks it up once there is one', async () => {
  const point = '99050000000070';
  expect(await service.ended(await service.populate([point]))).toMatchObject({
    errored_requests: { prms: [{ id: point, errored_reason: 'EPRM-SGT4A5' }] },
  });
  expect(await service.ended(await service.populate([point], undefined, WITH))).toMatchObject({
    imported_requests: { prm_ids: [point] },
  });
  expect(authorisationsOf([point])).toEqual([`${point} false`, `${point} true`]);
});

test('shares a lookup only between batches with the same authorisation', async () => {
  await service.setSpeed('enedis', 0);
  const shared = [...points(2, 70_200_000_000_000), '99050000000071'];
  const [without, again, withIt] = [
    await service.populate(shared),
    await service.populate(shared),
    await service.populate(shared, undefined, WITH),
  ];
  await service.setSpeed('enedis', 1_000);
  const ended = await Promise.all([without, again, withIt].map((batchId) => service.ended(batchId)));
  expect(ended.map(sums)).toEqual([
    { accepted: 3, imported: 2, pending: 0, errored: 1 },
    { accepted: 3, imported: 2, pending: 0, errored: 1 },
    { accepted: 3, imported: 3, pending: 0, errored: 0 },
  ]);
  expect(authorisationsOf(shared)).toEqual(shared.flatMap((point) => [`${point} false`, `${point} true`]).toSorted());
  // Facts that were found with an authorisation are not shown to batches without one.
  expect(ended[2].imported_results.prms.map(({ facts }: any) => facts.subscribed_power)).toEqual([
    '3 kVA',
    '6 kVA',
    '6 kVA',
  ]);
  expect((await service.status(without)).imported_results.prms).toMatchObject([
    { facts: null, source: null, looked_up_at: expect.any(String) },
    { facts: null },
  ]);
  const retried = await service.call('POST', '/v1/operations/look-ups/enedis/99050000000071/retry/', {
    token: service.operatorToken,
  });
  expect(retried.body).toMatchObject({ retried: 1 });
  expect(await service.ended(without)).toMatchObject({ counts: { errored: { prm_ids: 1 } } });
});

test('applies an option of the organisation to batches without an authorisation; operators set it with a reason', async () => {
  expect((await setOrganisation(true)).body).toMatchObject({ customer_authorisation: true });
  const [point, other] = points(2, 70_300_000_000_000) as [string, string];
  expect(await service.ended(await service.populate([point]))).toMatchObject({ customer_authorisation: true });
  expect(
    await service.ended(await service.populate([other], undefined, { customer_authorisation: false })),
  ).toMatchObject({ customer_authorisation: false });
  expect(authorisationsOf([point, other])).toEqual([`${point} true`, `${other} false`]);
  await setOrganisation(false);
  const { body } = await service.call('GET', '/v1/operations/audit/?action=organisation.changed', {
    token: service.operatorToken,
  });
  expect(body).toMatchObject([
    { after: { customer_authorisation: false } },
    { reason: 'mandates checked', before: { customer_authorisation: false }, after: { customer_authorisation: true } },
  ]);
});

test('returns pages of at most 1,000 results, whatever the limit', async () => {
  const wanted = points(1_050, 70_400_000_000_000);
  const batchId = await service.populate(wanted);
  await service.ended(batchId);
  const first = (await service.status(batchId, '?limit=100000')).imported_results.prms;
  expect(first).toHaveLength(1_000);
  const rest = (await service.status(batchId, `?limit=100000&prm_after=${first.at(-1).id}`)).imported_results.prms;
  expect([...first, ...rest].map(({ id }: any) => id).toSorted()).toEqual(wanted);
  const lost = await service.call('GET', `/v1/data-import/supply-point/populate/${batchId}/?prm_after=1&pce_after=2`, {
    token: service.token,
  });
  expect(lost).toMatchObject({
    status: 400,
    body: {
      errors: [
        { code: 'invalid', attr: 'prm_after' },
        { code: 'invalid', attr: 'pce_after' },
      ],
    },
  });
});

test('shows an operator one point with its facts and lookups, and audits the access', async () => {
  const [point] = points(1, 70_500_000_000_000) as [string];
  await service.ended(await service.populate([point]));
  await service.ended(await service.populate([point], undefined, WITH));
  const path = `supply-points/enedis/${point}`;
  const { status, body } = await service.call('GET', `/v1/operations/${path}/`, { token: service.operatorToken });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    identifier: point,
    facts: { subscribed_power: '3 kVA' },
    source: 'enedis-sge',
    looked_up_at: expect.stringMatching(/Z$/),
    with_customer_authorisation: true,
    accounts: [],
    look_ups: [
      { customer_authorisation: false, state: 'imported', ended_at: expect.stringMatching(/Z$/) },
      { customer_authorisation: true, state: 'imported' },
    ],
  });
  expect(
    (await service.call('GET', `/v1/operations/audit/?subject=${path}`, { token: service.operatorToken })).body,
  ).toMatchObject([{ action: 'supply_point.read' }]);
});
