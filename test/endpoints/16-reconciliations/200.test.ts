import { generateKeyPairSync, hash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { compactVerify, createLocalJWKSet } from 'jose';
import { fixedSecret, fixedSecrets } from '../../../src/platform/secrets/secrets.ts';
import { instructionCalls, startPaymentVendors } from '../../support/payment-vendors.ts';
import { businessRequest } from '../../support/business-payload.ts';
import { businessAccount, domesticAccount } from '../../support/account-payload.ts';
import { createAccounts } from '../../support/created-accounts.ts';
import { startService } from '../../support/harness.ts';
import { jobClient } from '../../support/import-jobs.ts';
import { OPERATORS_RECONCILIATIONS, reconcileToEnd, RECONCILIATIONS } from '../../support/reconciliations.ts';
import { until } from '../../support/until.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

/** The value of the setting RECONCILIATION_KEY. */
let signingKeys: string;
const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
signingKeys = newKey();
const vendors = await startPaymentVendors();
const service = await startService({
  worker: true,
  settings: vendors.settings,
  secrets: (settings) => ({
    ...fixedSecrets(settings),
    of: (name) =>
      name === 'RECONCILIATION_KEY'
        ? { value: () => signingKeys, readAgain: async () => {} }
        : fixedSecret(settings[name]),
  }),
});
const token = await service.supplierToken(['SUPPLIER_FR']);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

const call = (path: string, body?: object) =>
  service.call(body === undefined ? 'GET' : 'POST', path, { token, ...(body === undefined ? {} : { body }) });
const post = async (operation: string, body: object) => {
  const answer = await call(`/v1/data-import/${operation}/`, body);
  expect(answer).toMatchObject({ status: 201 });
};
const of = (number: string) => ({ ...ours, external_account_number: number });

/** Three accounts, with data that suppliers and operators add. */
async function createAndAttach(): Promise<void> {
  await post('business', businessRequest({}, 2));
  const numbers = await createAccounts(service.database, 'SUPPLIER_FR', [
    domesticAccount(ours, 1),
    businessAccount(ours, 2),
    domesticAccount(ours, 3),
  ]);
  expect(numbers).toHaveLength(3);
  await post('notes/create', {
    ...of('HOME-00000001'),
    notes: [{ body: 'Later', document_paths: [{ document_path: 'a/b.pdf' }] }],
  });
  await post('historical-statements/create', {
    ...of('HOME-00000001'),
    statements: [
      {
        statement_id: 'LATER',
        bill_period_from_date: '2024-09-01',
        bill_period_to_date: '2024-09-30',
        issued_date: '2024-10-01',
        number: 'N1',
        gross_amount: '10.00',
      },
    ],
  });
  await post('transactions/create', {
    ...of('HOME-00000003'),
    transactions: [
      { transaction_id: 'T1', transaction_date: '2020-01-01', amount: '12.50', type: 'CHARGE', reason: 'R' },
      { transaction_id: 'T2', transaction_date: '2024-09-30', amount: 3, type: 'CREDIT', reason: 'R' },
    ],
  });
  await service.call('PUT', '/v1/operations/accounts/SUPPLIER_FR/HOME-00000001/notes/0/pin/', {
    token: service.operatorToken,
    body: {},
  });
}

/** The balances of the three accounts, as a list and as a total. */
async function expectBalances(id: string): Promise<void> {
  expect((await call(`${RECONCILIATIONS}${id}/balances/`)).body).toEqual([
    { external_account_number: 'FIRM-00000002', balance: '0.00' },
    { external_account_number: 'HOME-00000001', balance: '0.00' },
    { external_account_number: 'HOME-00000003', balance: '-9.50' },
  ]);
  const ofOperators = await service.call('GET', `/v1/operations/reconciliations/${id}/balances/`, {
    token: service.operatorToken,
  });
  expect(ofOperators).toMatchObject({ status: 200 });
  expect(ofOperators.body).toHaveLength(3);
  const { balances } = (await call(`${RECONCILIATIONS}${id}/certificate/`)).body.certificate;
  expect(balances).toMatchObject({ accounts: 3, accepted: '-9.5', stored: '-9.5' });
  expect(balances.digest.accepted).toBe(balances.digest.stored);
}

/** The digests of the accounts add up to those of the certificate's fields; the hash of a value is the one of its text. */
async function expectDigests(id: string): Promise<void> {
  const listed = (await call(`${RECONCILIATIONS}${id}/accounts/`)).body as { digest: string }[];
  const modulus = 2n ** 256n;
  const sumOf = (digests: string[]) => digests.reduce((sum, digest) => (sum + BigInt(`0x${digest}`)) % modulus, 0n);
  const { fields } = (await call(`${RECONCILIATIONS}${id}/certificate/`)).body.certificate;
  expect(listed).toHaveLength(3);
  expect(sumOf(listed.map(({ digest }) => digest))).toBe(sumOf(fields.map(({ accepted }: any) => accepted)));
  const ofOperators = await service.call('GET', `/v1/operations/reconciliations/${id}/accounts/`, {
    token: service.operatorToken,
  });
  expect(ofOperators.body).toEqual(listed);
  const { body } = await call(`${RECONCILIATIONS}${id}/accounts/HOME-00000003/`);
  expect(body.external_account_number).toBe('HOME-00000003');
  expect(body.values).toContainEqual({
    path: 'transactions.T1.amount',
    sha256: hash('sha256', 'HOME-00000003\nT1\n\t12.5\n'),
  });
  expect(body.values).toContainEqual({
    path: 'supply_addresses.0.supply_points.1.supply_type',
    sha256: hash('sha256', 'HOME-00000003\n0.1\tGAS\n'),
  });
}

test('distinguishes explained differences from manual changes, and certifies both', async () => {
  const first = await createAndAttach().then(() => reconcileToEnd(service, token, ours));
  const reasons = { note_added: 3, statement_added: 1, note_pin_changed: 1, transaction_moved: 2 };
  expect(first.view.counts).toMatchObject({
    accounts: 3,
    businesses: 1,
    different: 0,
    differences: { changed: 0, missing: 0, extra: 0 },
    reasons,
    parties: { supply_points: 6, switches_asked_too_often: 0, payment_instructions_in_force: 0 },
  });
  expect(first.view.sums).toEqual([
    { name: 'energy_cheques', accepted: '58200', stored: '58200' },
    { name: 'payment_schedules', accepted: '801.9', stored: '801.9' },
    { name: 'transactions', accepted: '15.5', stored: '15.5' },
  ]);
  await expectBalances(first.id).then(() => expectDigests(first.id));

  await service.database.pool.query(
    `update customer set email = 'else@example.org' where position = 0 and account_id = (select id from account where external_account_number = 'FIRM-00000002')`,
  );
  await service.database.pool.query(`update transaction set amount = 12.51 where transaction_id = 'T1'`);
  await service.database.pool.query(
    `update statement set gross_amount = 10.01, number = 'N2' where statement_id = 'LATER'`,
  );
  const second = await reconcileToEnd(service, token, ours);
  expect(second.view.counts).toMatchObject({ different: 3, differences: { changed: 4 }, reasons });
  const listed = await call(`${RECONCILIATIONS}${second.id}/differences/`);
  expect(listed.body.filter(({ reason }: any) => reason === null)).toMatchObject([
    { key: 'FIRM-00000002', path: 'customers.0.email', kind: 'changed', table: 'customer', column: 'email' },
    { key: 'HOME-00000001', path: 'statements.2.number', kind: 'changed', table: 'statement', column: 'number' },
    { key: 'HOME-00000001', path: 'statements.2.gross_amount', kind: 'changed', column: 'gross_amount' },
    { key: 'HOME-00000003', path: 'transactions.0.amount', kind: 'changed', table: 'transaction', column: 'amount' },
  ]);
  expect(JSON.stringify(listed.body)).not.toContain('example.org');

  const [before, after] = await Promise.all([certificateOf(first.id), certificateOf(second.id)]);
  expect(before.certificate).toMatchObject({ is_equal: true, canonicalization: 1, accounts: 3 });
  expect(after.certificate).toMatchObject({ is_equal: false, different: 3 });
  const unlike = after.certificate.fields.filter((field: any) => field.accepted !== field.stored);
  expect(unlike.map(({ name }: any) => name)).toEqual(
    // The day that it was moved to differs from the one that was sent.
    ['customers.*.email', 'transactions.*.amount', 'transactions.*.transaction_date'],
  );
  const keys = await service.call('GET', '/v1/data-import/certificate-keys/');
  const { payload } = await compactVerify(after.jws, createLocalJWKSet(keys.body));
  expect(JSON.parse(Buffer.from(payload).toString())).toEqual(after.certificate);
  const path = `${OPERATORS_RECONCILIATIONS}${second.id}/certificate/`;
  const ofOperator = await service.call('GET', path, { token: service.operatorToken });
  expect(ofOperator).toMatchObject({ status: 200, body: { certificate: after.certificate } });
  // The new key signs; the list of keys still verifies the former one's signatures.
  signingKeys = newKey() + signingKeys;
  const anew = await certificateOf(second.id);
  const { body: both } = await service.call('GET', '/v1/data-import/certificate-keys/');
  expect(both.keys).toHaveLength(2);
  const kids = await Promise.all(
    [anew, after].map(async ({ jws }) => (await compactVerify(jws, createLocalJWKSet(both))).protectedHeader.kid),
  );
  expect(kids).toEqual(both.keys.map(({ kid }: { kid: string }) => kid));
});

async function certificateOf(id: string): Promise<any> {
  const answer = await call(`${RECONCILIATIONS}${id}/certificate/`);
  expect(answer.status).toBe(200);
  return answer.body;
}

test('reconciles the accounts of one import job', async () => {
  const client = await jobClient(service);
  const jobId = await client.open({ goal: 'CREATE', operations_team_name: 'Migration' });
  const [number] = await createAccounts(service.database, 'SUPPLIER_FR', [domesticAccount(ours, 9)]);
  await service.database.pool.query(
    `insert into import_job_line (job_id, line, key, state) values ($1, 1, $2, 'succeeded'), ($1, 2, 'ELSE', 'failed')`,
    [jobId, number],
  );
  await service.database.pool.query("update import_job set status = 'COMPLETED', started_at = now() where id = $1", [
    jobId,
  ]);
  const { view } = await reconcileToEnd(service, client.token, { job_id: jobId });
  expect(view).toMatchObject({ job_id: jobId, counts: { accounts: 1, businesses: 0, different: 0 } });
});

test('reports an account missing that a job has created, even if nothing of it is left', async () => {
  const client = await jobClient(service);
  const jobId = await client.open({ goal: 'CREATE', operations_team_name: 'Migration' });
  await service.database.pool.query(
    `insert into import_job_line (job_id, line, key, state, number) values ($1, 1, 'GONE', 'succeeded', 'A-2345678X'), ($1, 2, 'FAILED', 'failed', null)`,
    [jobId],
  );
  await service.database.pool.query("update import_job set status = 'COMPLETED', started_at = now() where id = $1", [
    jobId,
  ]);
  const { id, view } = await reconcileToEnd(service, client.token, { job_id: jobId });
  expect(view).toMatchObject({ counts: { accounts: 1, different: 1, differences: { missing: 1 } } });
  const { body } = await service.call('GET', `${RECONCILIATIONS}${id}/differences/`, { token: client.token });
  expect(body).toMatchObject([{ subject: 'account', key: 'GONE', kind: 'missing' }]);
});

test('queries payment vendors about instructions in force, and reports differences by path', async () => {
  const external = 'HOME-00000021';
  const account = domesticAccount(ours, 21);
  const sent = { vendor: 'gocardless', reference: 'MD-REVOKED-21', type: 'DIRECT_DEBIT' };
  account.supply_addresses![0]!.supply_points[1]!.payment_instructions = [sent];
  await createAccounts(service.database, 'SUPPLIER_FR', [account]);
  const verify = instructionCalls(service, token);
  expect((await verify(external, 'MD-21')).status).toBe(201);
  expect((await verify(external, 'pm_21', { vendor: 'STRIPE', type: 'CARD' })).status).toBe(201);
  // As if the vendor had revoked it since.
  for (const table of ['payment_verification', 'payment_instruction']) {
    await service.database.pool.query(`update ${table} set reference = 'pm_UNKNOWN_21' where reference = 'pm_21'`);
  }
  const bySupplier = await reconcileToEnd(service, token, ours);
  const stripe = { vendor: 'STRIPE', in_force: 1, asked: 1, usable: 0, different: 1, not_asked: [] };
  const other = {
    vendor: 'OTHER',
    asked: 0,
    not_asked: [{ reason: 'unknown_vendor', instructions: expect.anything() }],
  };
  const gocardless = { vendor: 'GOCARDLESS', in_force: 2 };
  expect(bySupplier.view.payment_vendors).toMatchObject([
    { ...gocardless, asked: 1, usable: 1, different: 0, not_asked: [{ reason: 'not_verified', instructions: 1 }] },
    other,
    stripe,
  ]);
  const started = await service.call('POST', OPERATORS_RECONCILIATIONS, { token: service.operatorToken, body: ours });
  const path = `${OPERATORS_RECONCILIATIONS}${started.body.reconciliation_id}/`;
  const read = (end = '') => service.call('GET', path + end, { token: service.operatorToken });
  await until(async () => (await read()).body.status === 'COMPLETED');
  expect((await read()).body.payment_vendors).toMatchObject([
    { ...gocardless, asked: 2, usable: 1, different: 1, not_asked: [] },
    other,
    stripe,
  ]);
  const differences: any[] = (await read('differences/')).body;
  // Vendors are queried independently, so either may come first.
  const listed = differences
    .filter(({ subject }) => subject === 'payment_instruction')
    .toSorted((one, other) => one.path.localeCompare(other.path));
  const place = { key: external, table: 'payment_instruction', column: null, reason: null };
  const point = 'supply_addresses.0.supply_points.1';
  expect(listed).toMatchObject([
    { ...place, path: `${point}.payment_instructions.0`, kind: 'changed', vendor_answer: 'cancelled' },
    { ...place, path: 'supply_points.*.payment_instructions.3', kind: 'missing', vendor_answer: 'not_found' },
  ]);
  const { certificate } = (await read('certificate/')).body;
  expect(certificate).toMatchObject({ is_equal: false, payment_vendors: [{}, {}, stripe] });
  expect(certificate.parties_not_asked).toMatchObject([{ party: 'industry_switch' }]);
});
