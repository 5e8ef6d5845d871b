import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { businessRequest } from '../support/business-payload.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService, type Service } from '../support/harness.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { inDays } from '../support/switching.ts';
import { until } from '../support/until.ts';

let service: Service;
let site: Site;
let visitor: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  visitor = await site.signedIn();
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

function account(sequence: number): any {
  const sent: any = domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence);
  for (const address of sent.supply_addresses) {
    for (const point of address.supply_points) point.supply_start_date = inDays(200);
  }
  return sent;
}

/** Follows a form to the page of the withdrawal, and waits for its end. */
async function ended(address: string): Promise<string> {
  expect(address).toMatch(/^\/withdrawals\//);
  let text = '';
  await until(async () => {
    text = (await visitor.get(address)).text;
    return text.includes('COMPLETED');
  });
  return text;
}

test('previews the withdrawal of an account, and shows it with its receipt and its reason', async () => {
  const [external] = await createAccounts(service.database, 'SUPPLIER_FR', [account(1)]);
  const at = `/accounts/SUPPLIER_FR/${external}`;
  expect((await visitor.get(at)).text).toContain(`href="${at}/withdraw"`);
  expect((await visitor.get(`${at}/withdraw`)).text).toContain('staged again');
  expect((await visitor.get(`${at}/withdraw/preview`)).text).toMatch(/can be withdrawn[^]*>1</);
  const started = await visitor.post(`${at}/withdraw/start`, [['reason', 'The file was wrong.']]);
  const text = await ended(started.location ?? '');
  expect(text).toContain('The file was wrong.');
  expect(text).toContain('account_supply_point');
  const shown = (await visitor.get(at)).text;
  expect(shown).toContain('not created');
  expect(shown).toMatch(/withdrew\s+<code>A-\w+<\/code>: <q>The file was wrong\./);
  expect(shown).toContain('started the withdrawal of');
});

test('withdraws the accounts of a job, and hides the form from viewers', async () => {
  const jobId = await putJob(service.database, { goal: 'CREATE', lines: [account(2), account(3)] });
  await startJob(service.gateway, jobId);
  await untilJob(service.database, jobId);
  const at = `/jobs/${jobId}`;
  expect((await viewer.get(at)).text).not.toContain(`${at}/withdraw`);
  expect((await viewer.get(`${at}/withdraw`)).status).toBe(403);
  expect((await visitor.get(at)).text).toContain(`href="${at}/withdraw"`);
  expect((await visitor.get(`${at}/withdraw/preview`)).text).toMatch(/can be withdrawn[^]*>2</);
  const started = await visitor.post(`${at}/withdraw/start`, [['reason', 'Wrong month.']]);
  expect(await ended(started.location ?? '')).toMatch(/Withdrawn[^]*>2</);
});

test('withdraws the business of an account if this is chosen', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  await service.call('POST', '/v1/data-import/business/', { token, body: businessRequest() });
  const payload: any = businessAccount({ import_supplier: 'SUPPLIER_FR' }, 4);
  payload.business.business_contract_identifier = 'FRAME-1';
  const [external] = await createAccounts(service.database, 'SUPPLIER_FR', [payload]);
  const at = `/accounts/SUPPLIER_FR/${external}/withdraw`;
  expect((await visitor.get(`${at}/preview`)).text).toMatch(/Businesses that no other account uses[^]*>1</);
  const fields: [string, string][] = [
    ['reason', 'Wrong month.'],
    ['withdraw_businesses', 'yes'],
  ];
  const started = await visitor.post(`${at}/start`, fields);
  expect(await ended(started.location ?? '')).toMatch(/>withdrawn<[^]*WORKS-1/);
  expect((await visitor.get(`${started.location}/businesses`)).text).toMatch(
    /^\{"external_business_identifier":"WORKS-1","service_business_id":\d+,"outcome":"withdrawn"\}\n$/,
  );
});
