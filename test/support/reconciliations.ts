import type { Answer, Service } from './harness.ts';
import { until } from './until.ts';

export const RECONCILIATIONS = '/v1/data-import/reconciliations/';
export const OPERATORS_RECONCILIATIONS = '/v1/operations/reconciliations/';
/** The id of a reconciliation that does not exist. */
export const UNKNOWN_RECONCILIATION = '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c';

/** Starts a reconciliation by the API and waits for its end. @returns its id and its counts */
export async function reconcileToEnd(
  service: Service,
  token: string,
  body: object,
): Promise<{ id: string; view: any }> {
  const started = await service.call('POST', RECONCILIATIONS, { token, body });
  const id = started.body.reconciliation_id as string;
  let answer: Answer | undefined;
  await until(async () => {
    answer = await service.call('GET', `${RECONCILIATIONS}${id}/`, { token });
    return answer.body.status === 'COMPLETED';
  });
  return { id, view: answer!.body };
}
