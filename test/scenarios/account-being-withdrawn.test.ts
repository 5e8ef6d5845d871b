import { afterAll, expect, test } from '@jest/globals';
import { withdrawPage } from '../../src/withdrawal/withdraw-page.store.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { attachmentCalls, payment } from '../support/attachments.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService } from '../support/harness.ts';
import { withdrawalsOf } from '../support/withdrawals.ts';

// No worker runs, so the test decides when a withdrawal continues.

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const withdrawals = withdrawalsOf(service);
const token = await service.supplierToken(['SUPPLIER_FR']);
const attach = attachmentCalls(service, token);

const statement = { bill_period_from_date: '2023-01-01', bill_period_to_date: '2023-01-31', statement_id: 'LATE-1' };

/** Requests for an account, by operation. */
const calls: Record<string, (external: string) => ReturnType<typeof attach.notes>> = {
  notes: (external) => attach.notes(external, [{ body: 'A call.' }]),
  transactions: (external) => attach.transactions(external, [payment('T-1')]),
  'transactions, checking none': (external) =>
    attach.transactions(external, [payment('T-1')], '?check_previously_added=false'),
  statements: (external) =>
    attach.statements(external, [{ ...statement, issued_date: '2023-02-01', number: '1', gross_amount: 10 }]),
  'payment instruction': (external) =>
    service.call('POST', '/v1/data-import/payment-instruction/create/', {
      token,
      body: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: external,
        vendor: 'STRIPE',
        type: 'CARD',
        reference: 'pm_1',
      },
    }),
  'creation, as a dry run': (external) =>
    service.call('POST', '/v1/data-import/account-import-process/process/', {
      token,
      body: {
        import_supplier_code: 'SUPPLIER_FR',
        external_account_number: external,
        operations_team_name: 'Migration',
        dry_run: true,
      },
    }),
};

test('asks requests for an account to wait from its deletion to the end of the withdrawal', async () => {
  const [external] = (await createAccounts(service.database, 'SUPPLIER_FR', [
    domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
  ])) as [string];
  const { withdrawal_id: id } = (await withdrawals.account(external)).body;
  const step = () => service.database.transaction((em) => withdrawPage(em, id, 1));
  expect(await step()).toEqual({ accounts: 1 });
  for (const [name, call] of Object.entries(calls)) {
    const answer = await call(external);
    expect({ name, status: answer.status, code: answer.body.code, retry: answer.headers['retry-after'] }).toEqual({
      name,
      status: 409,
      code: 'account_being_withdrawn',
      retry: '5',
    });
  }
  await service.database.pool.query("update withdrawal set freed_points = '{}' where id = $1", [id]);
  expect(await step()).toBe('ended');
  for (const [name, call] of Object.entries(calls)) {
    const { code } = (await call(external)).body;
    expect({ name, code }).toEqual({
      name,
      code: name.startsWith('creation') ? 'dry_run_succeeded' : 'account_not_found',
    });
  }
});
