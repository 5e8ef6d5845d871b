import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { businessRequest, contractsRequest } from '../../support/business-payload.ts';
import { jobClient } from '../../support/import-jobs.ts';
import { points, startPopulation } from '../../support/population.ts';
import { message, switchTestOf } from '../../support/switching.ts';
import { until } from '../../support/until.ts';

const EVENTS = '/v1/data-import/events/';
const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startPopulation();
afterAll(() => service.stop());
const client = await jobClient(service);

/** All events from a page on, by following the pages. */
async function eventsFrom(path: string, token = client.token): Promise<any[]> {
  const events = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, body, headers } = await service.call('GET', next, { token });
    expect(status).toBe(200);
    events.push(...body);
    next = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1];
  }
  return events;
}
const typesOf = (events: readonly any[], subject: string): string[] =>
  events.filter((event) => event.subject === subject).map(({ type }) => type);

test('returns an empty page before anything happens', async () => {
  expect(await service.call('GET', EVENTS, { token: client.token })).toMatchObject({ status: 200, body: [] });
});

test('reports a created account and its switch', async () => {
  const market = await switchTestOf(service);
  const number = await market.create('TOLD', [points(1)[0]!]);
  await market.send(message('TOLD', 'ACCEPTED'));
  await market.become('TOLD', 'IN_PROGRESS');
  await market.send(message('TOLD', 'COMPLETED'));
  await market.become('TOLD', 'COMPLETED');
  const events = await eventsFrom(EVENTS);
  expect(typesOf(events, 'accounts/TOLD')).toEqual([
    'import.account.created.v1',
    'switch.in_progress.v1',
    'switch.completed.v1',
  ]);
  expect(events[0]).toEqual({
    specversion: '1.0',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    source: '/import-suppliers/SUPPLIER_FR',
    type: 'import.account.created.v1',
    subject: 'accounts/TOLD',
    time: expect.stringMatching(/Z$/),
    datacontenttype: 'application/json',
    cursor: expect.any(String),
    data: { ...ours, external_account_number: 'TOLD', service_account_number: number },
  });
});

test('reports a rejected account once, however often it is requested, and no dry run', async () => {
  const path = '/v1/data-import/account-import-process/';
  const account = domesticAccount({ ...ours, external_account_number: 'REFUSED' }, 2);
  const post = (operation: string, body: object) =>
    service.call('POST', `${path}${operation}/`, { token: client.token, body });
  expect(await post('create-or-update', account)).toMatchObject({ status: 201 });
  const request = {
    import_supplier_code: 'SUPPLIER_FR',
    external_account_number: 'REFUSED',
    operations_team_name: 'Migration',
  };
  expect(await post('process', { ...request, dry_run: true })).toMatchObject({ body: { code: 'dry_run_succeeded' } });
  // As if it had been staged under other rules.
  await service.database.pool.query(
    `update import_process set validated_with = 'other', payload = payload || '{"account_type": "CASTLE"}' where external_account_number = 'REFUSED'`,
  );
  for (let time = 0; time < 2; time += 1) expect(await post('process', request)).toMatchObject({ status: 400 });
  const [events, ...more] = (await eventsFrom(EVENTS)).filter(({ subject }) => subject === 'accounts/REFUSED');
  expect(more).toEqual([]);
  expect(events).toMatchObject({
    type: 'import.account.refused.v1',
    data: { ...ours, external_account_number: 'REFUSED', code: 'import_process_failed_validation' },
  });
});

test('reports a business once, however often it is sent, and added contracts', async () => {
  const post = (path: string, body: object) =>
    service.call('POST', `/v1/data-import/${path}/`, { token: client.token, body });
  for (let time = 0; time < 2; time += 1) expect((await post('business', businessRequest({}, 5))).status).toBe(201);
  expect((await post('business-contracts/create', contractsRequest(['FRAME-5'], 5))).status).toBe(400);
  expect((await post('business-contracts/create', contractsRequest(['FRAME-5-B'], 5))).status).toBe(201);
  const events = (await eventsFrom(EVENTS)).filter(({ subject }) => subject === 'businesses/WORKS-5');
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['import.business.created.v1', { ...ours, external_business_identifier: 'WORKS-5' }],
    ['import.business.contracts_added.v1', { ...ours, external_business_identifier: 'WORKS-5' }],
  ]);
});

test('reports jobs and batches to their organisation, and accounts to all keys of the import supplier', async () => {
  const jobId = await client.open({ goal: 'CREATE', operations_team_name: 'Migration' });
  const lines = [7, 8].map((sequence) => `${JSON.stringify(domesticAccount(ours, sequence))}\n`).join('');
  await client.put(jobId, 1, lines);
  expect(await client.post(jobId, 'start')).toMatchObject({ status: 200 });
  await until(async () => typesOf(await eventsFrom(EVENTS), `jobs/${jobId}`).at(-1) === 'job.completed.v1');
  const batchId = await service.populate(points(2));
  await service.ended(batchId);
  const events = await eventsFrom(EVENTS);
  expect(typesOf(events, `jobs/${jobId}`)).toEqual(['job.validating.v1', 'job.running.v1', 'job.completed.v1']);
  expect(typesOf(events, 'accounts/HOME-00000007')).toEqual(['import.account.created.v1']);
  expect(typesOf(events, `batches/${batchId}`)).toEqual([]);

  const ofBatch = await eventsFrom(EVENTS, service.token);
  expect(typesOf(ofBatch, `batches/${batchId}`)).toEqual(['batch.completed.v1']);
  expect(typesOf(ofBatch, `jobs/${jobId}`)).toEqual([]);
  expect(typesOf(ofBatch, 'accounts/TOLD')).toHaveLength(3);
  expect(await eventsFrom(EVENTS, await service.supplierToken([]))).toEqual([]);
});

test('returns pages, and the events after a cursor', async () => {
  const all = await eventsFrom(EVENTS);
  expect(await eventsFrom(`${EVENTS}?limit=2`)).toEqual(all);
  expect(await eventsFrom(`${EVENTS}?limit=1&after=${all[2].cursor}`)).toEqual(all.slice(3));
  expect(await eventsFrom(`${EVENTS}?after=${all.at(-1).cursor}`)).toEqual([]);
});
