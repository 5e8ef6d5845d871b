import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessRequest, contractsRequest } from '../support/business-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

let service: Service;
let site: Site;
let path: string;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ temporal: false });
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const request = businessRequest({}, 1);
  const business = {
    ...request.business,
    company_name: '<Works>',
    details: [{ key: 'contact', value: 'Ada Lovelace' }],
  };
  const sent = { token, body: { ...request, business } };
  path = `/businesses/${(await service.call('POST', '/v1/data-import/business/', sent)).body.service_business_id}`;
  const labels = Array.from({ length: 25 }, (_, index) => `LATER-${index}`);
  const body = contractsRequest(labels, 1);
  await service.call('POST', '/v1/data-import/business-contracts/create/', { token, body });
  site = await startSite(service);
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

const reads = async (action: string) =>
  (await service.call('GET', `/v1/operations/audit/?action=${action}`, { token: service.operatorToken })).body as {
    subject: string;
    actor: { name: string };
  }[];

test('masks the people of a business for viewers until they reveal them, and audits that', async () => {
  const { text } = await viewer.get(path);
  expect(text).toContain('<h1>&lt;Works&gt;</h1>');
  expect(text).toContain('•••');
  expect(text).not.toContain('Ada Lovelace');
  expect(await reads('business.contact_data_revealed')).toEqual([]);
  expect((await viewer.post(`${path}/reveal`, [])).text).toContain('Ada Lovelace');
  const line = { subject: 'businesses/SUPPLIER_FR/WORKS-1', actor: { name: expect.stringContaining('Ada') } };
  expect(await reads('business.contact_data_revealed')).toMatchObject([line]);
  expect(await reads('business.read')).toMatchObject([line]);
  const operator = await site.signedIn();
  expect((await operator.get(path)).text).toContain('Ada Lovelace');
});

test('pages through contracts, with the sent data of each', async () => {
  const { text } = await viewer.get(path);
  const next = /href="([^"]*contracts_from=20)"/.exec(text)![1]!;
  const rest = (await viewer.get(next)).text;
  const labelsIn = (page: string) => [...page.matchAll(/<code>(LATER-\d+)<\/code>/g)].map(([, label]) => label);
  expect([...labelsIn(text), ...labelsIn(rest)]).toEqual(Array.from({ length: 25 }, (_, index) => `LATER-${index}`));
  expect(text).toContain('TERMINATION_FEE');
});

test.each(['/businesses/999999', '/businesses/abc', '/businesses/99999999999'])(
  'returns 404 for %s',
  async (unknown) => {
    expect((await viewer.get(unknown)).status).toBe(404);
  },
);
