import type { Telling } from './telling.ts';

/** The supplier and the team that the story is about. */
export async function setUp({ heading, step, supplier }: Telling): Promise<void> {
  heading('An operator sets up a supplier');
  await step('import supplier', 'PUT', `/v1/operations/import-suppliers/${supplier}/`, 201, {
    name: 'Demo supplier',
    status: 'Ongoing',
    document_root: 's3://demo-documents/',
  });
  await step('operations team', 'PUT', '/v1/operations/operations-teams/Migration/', 201, {});
}

/** The history of a switch, one set by hand, and a message that fits nothing. */
export async function lookAsOperator({ heading, step, supplier, run }: Telling): Promise<void> {
  heading('An operator looks at the switch, and sets one by hand');
  await step(
    'the account, with the history of its switch',
    'GET',
    `/v1/operations/accounts/${supplier}/B-${run}-1/`,
    200,
  );
  await step(
    'the kiosk by hand, for a reason',
    'PUT',
    `/v1/operations/account-import-processes/${supplier}/B-${run}-2/switch-status/`,
    200,
    { status: 'COMPLETED', reason: 'Told by telephone' },
  );
  await step('a message for an account that is not there: kept', 'POST', '/v1/operations/market-messages/', 200, {
    message_id: `DEMO-${run}`,
    import_supplier: supplier,
    external_account_number: 'NOBODY',
    outcome: 'ACCEPTED',
    occurred_at: '2026-11-20T08:00:00Z',
  });
  await step('what waits for an operator', 'GET', '/v1/operations/stuck/', 200);
}
