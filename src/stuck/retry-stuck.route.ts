import { Type } from 'typebox';
import { oneOf } from '../platform/validation/field-types.schema.ts';
import { retryPending } from './retry-by-operator.client.ts';
import { EXAMPLE_ID } from './stuck.schema.ts';
import { replyWith, type Route } from '../platform/http/route.ts';
import type { RetryDeps } from './retry-stuck.client.ts';

const retryOutcomes = ['activity_reset', 'asked_again', 'workflow_started', 'running', 'unchanged'] as const;

/** The outcome of retrying one item. */
const retriedStuck = Type.Object(
  { id: Type.String({ examples: [EXAMPLE_ID] }), outcome: oneOf(retryOutcomes) },
  { title: 'RetriedStuck' },
);

/** `POST stuck/<id>/retry/`: retries an item immediately, or starts its missing run. */
export const retryStuck = (deps: RetryDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/stuck/:id/retry',
  access: 'operator',
  action: 'stuck.retry',
  openApi: {
    operationId: 'retryStuck',
    summary: 'Retry an item of stuck work immediately',
    page: 'docs/operators/when-something-waits.md',
    path: { id: { description: 'Id from the list of stuck work.', example: EXAMPLE_ID } },
    replies: {
      200: {
        description:
          'The outcome. `activity_reset`: the next attempt starts now. `asked_again`: deferred identifiers are requested now. `workflow_started`: the run was started. `running`: an attempt is in progress, or no worker runs the work. `unchanged`: the work needs a decision, or its account does not exist yet.',
        schema: retriedStuck,
      },
    },
    refusals: ['not_found'],
  },
  handle: async ({ params, caller, log }) =>
    replyWith(await retryPending(deps, { actor: caller, log }, params['id'] ?? '')),
});
