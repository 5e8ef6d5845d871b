import { Type } from 'typebox';
import { answeredText, oneOf } from '../platform/validation/field-types.schema.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { readCursor, type StuckWork } from './list-stuck.client.ts';
import { retryPageOfCause, retryPending } from './retry-by-operator.client.ts';
import { EXAMPLE_CURSOR, EXAMPLE_ID, retryCauseSchema, type RetryCause } from './stuck.schema.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { replyWith, type Route } from '../platform/http/route.ts';
import type { RetryDeps } from './retry-stuck.client.ts';

const retryOutcomes = ['activity_reset', 'asked_again', 'workflow_started', 'running', 'unchanged'] as const;
const causeOutcomes = [...retryOutcomes, 'gone'];

/** The outcome of retrying one item. */
const retriedStuck = Type.Object(
  { id: Type.String({ examples: [EXAMPLE_ID] }), outcome: oneOf(retryOutcomes) },
  { title: 'RetriedStuck' },
);

/** The outcomes of retrying a page of items. */
const retriedCause = Type.Object(
  {
    cause: Type.String({ examples: ['database_refuses_data'] }),
    outcomes: Type.Object(
      Object.fromEntries(causeOutcomes.map((outcome) => [outcome, Type.Optional(Type.Integer())])),
      { examples: [{ activity_reset: 50 }] },
    ),
    next_cursor: answeredText({ examples: [EXAMPLE_CURSOR] }),
  },
  { title: 'RetriedCause' },
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

const checkBody = compileOperatorBody<RetryCause>(retryCauseSchema);

/** `POST stuck/retry/`: retries one page of the items with a cause; `next_cursor` continues. */
export const retryCause = (deps: RetryDeps & { stuck: StuckWork }): Route => ({
  method: 'POST',
  path: '/v1/operations/stuck/retry',
  access: 'operator',
  action: 'stuck.retry',
  openApi: {
    operationId: 'retryCause',
    summary: 'Retry stuck work with one cause',
    description:
      'Retries at most 50 items, with a short pause after each. Repeat the request with `next_cursor` as `cursor` until it is null; each item is then retried once.',
    page: 'docs/operators/when-something-waits.md',
    request: retryCauseSchema,
    rules: { cursor: ['invalid'] },
    requestExamples: { one_cause: { cause: 'database_refuses_data' } },
    replies: {
      200: {
        description:
          'Number of items by outcome. `gone`: the work was completed in the meantime. For the other outcomes see the retry of one item.',
        schema: retriedCause,
      },
    },
  },
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller, log, hungUp }) => {
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const after = readCursor(sent.cursor ?? null);
    if (isRefused(after)) return after;
    return replyWith(await retryPageOfCause(deps, { actor: caller, log }, { cause: sent.cause, after }, hungUp()));
  },
});
