import { expect } from '@jest/globals';
import type { Answer, Service } from './harness.ts';
import { until } from './until.ts';

export const WITHDRAWALS = '/v1/operations/withdrawals/';

/** Tables that a withdrawal changes although it deletes what the creation wrote. */
export const OUTSIDE_WITHDRAWAL = [
  'audit_entry',
  'audit_block',
  'audit_chain',
  'withdrawal',
  'withdrawal_business',
  'withdrawal_obstacle',
  'withdrawn_account',
  'number_mark',
  'work_item',
  'access_token',
  'api_key',
  'api_key_import_supplier',
  'organisation',
  'import_process.withdrawn_at',
];

/** An operator's withdrawals. */
export function withdrawalsOf(service: Service) {
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    service.call(method, path, { token: service.operatorToken, body });
  const finished = async (started: Answer): Promise<any> => {
    expect(started).toMatchObject({ status: 202, body: { status: 'RUNNING' } });
    let found: Answer | undefined;
    await until(async () => {
      found = await send('GET', `${WITHDRAWALS}${started.body.withdrawal_id}/`);
      return found.body.status !== 'RUNNING';
    });
    return found!.body;
  };
  const account = (external: string, more: object = {}, supplier = 'SUPPLIER_FR') =>
    send('POST', `/v1/operations/accounts/${supplier}/${encodeURIComponent(external)}/withdraw/`, {
      reason: 'The file was of the wrong month.',
      ...more,
    });
  return {
    account,
    job: (jobId: string, more: object = {}) =>
      send('POST', `/v1/operations/import-jobs/${jobId}/withdraw/`, { reason: 'Wrong file.', ...more }),
    finished,
    /** Withdraws an account, and waits for the end. */
    withdrawn: async (external: string) => finished(await account(external)),
  };
}
