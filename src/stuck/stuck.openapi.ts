import { textCursor } from '../platform/http/cursor-schema.ts';
import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText } from '../platform/validation/field-types.schema.ts';
import { retryCauseSchema, stuckListSchema } from './stuck.schema.ts';

const ID = 'Y3JlYXRlLWFjY291bnQvU1VQUExJRVJfRlIvSE9NRS0wMDAwNDcxMQ';

const EXAMPLE_CURSOR = 'WyIyMDI2LTExLTIwVDE3OjAwOjAwLjAwMFoiLCJZM0psIl0';

/** `GET stuck/`. */
export const listStuckOpenApi: RouteOpenApi = {
  operationId: 'listStuck',
  tag: 'Operations',
  summary: 'List stuck work with its causes',
  description:
    'Oldest first, 100 items per page. The data is about two seconds old, or older if reading it takes long.',
  page: 'docs/operators/when-something-waits.md',
  query: {
    account: {
      description: 'External account number, or `<supplier>/<number>`.',
      example: 'SUPPLIER_FR/HOME-00004711',
    },
    cause: { description: 'Only work with this cause.', example: 'database_refuses_data' },
    cursor: {
      description: '`next_cursor` of the previous page.',
      example: EXAMPLE_CURSOR,
      schema: textCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of stuck work.',
      schema: stuckListSchema,
      example: {
        stuck: [
          {
            id: ID,
            kind: 'create-account',
            cause: 'database_refuses_data',
            workflow_id: 'create-account/SUPPLIER_FR/HOME-00004711',
            accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711' }],
            network_operator: null,
            batch_id: null,
            job_id: null,
            reconciliation_id: null,
            endpoint_id: null,
            message_id: null,
            waiting_since: '2026-11-20T17:00:00.000Z',
            attempt: 3,
            last_failure: { type: 'database_refuses_data', message: 'SQLSTATE 23514' },
            next_attempt_at: '2026-11-20T17:05:00.000Z',
            paused: false,
            what_to_do: 'Stage corrected data for the account, or mark it to skip.',
          },
        ],
        complete: true,
        next_cursor: null,
        total: 1,
        counts: [{ cause: 'database_refuses_data', count: 1 }],
        counted_all: true,
        due_work: {
          kinds: [
            {
              kind: 'switch-supplier',
              due: 3,
              oldest_due_at: '2026-11-20T17:04:30.000Z',
              oldest_age_seconds: 30,
              late: false,
            },
          ],
          dispatcher: {
            holder: 'worker-1/17',
            held_since: '2026-11-20T17:04:58.000Z',
            overdue: false,
            last_swept_at: '2026-11-20T17:04:28.000Z',
          },
          creation_slots: { held: 2, oldest_taken_at: '2026-11-20T17:04:59.000Z' },
        },
      },
    },
  },
  refusals: ['validation_failed'],
};

const retryOutcomes = ['activity_reset', 'asked_again', 'workflow_started', 'running', 'unchanged'];
const causeOutcomes = [...retryOutcomes, 'gone'];

/** `POST stuck/retry/`. */
export const retryCauseOpenApi: RouteOpenApi = {
  operationId: 'retryCause',
  tag: 'Operations',
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
      schema: Type.Object(
        {
          cause: Type.String(),
          outcomes: Type.Object(
            Object.fromEntries(causeOutcomes.map((outcome) => [outcome, Type.Optional(Type.Integer())])),
          ),
          next_cursor: answeredText(),
        },
        { title: 'RetriedCause' },
      ),
      example: { cause: 'database_refuses_data', outcomes: { activity_reset: 50 }, next_cursor: EXAMPLE_CURSOR },
    },
  },
  refusals: ['validation_failed'],
};

/** `POST stuck/<id>/retry/`. */
export const retryStuckOpenApi: RouteOpenApi = {
  operationId: 'retryStuck',
  tag: 'Operations',
  summary: 'Retry an item of stuck work immediately',
  page: 'docs/operators/when-something-waits.md',
  path: { id: { description: 'Id from the list of stuck work.', example: ID } },
  replies: {
    200: {
      description:
        'The outcome. `activity_reset`: the next attempt starts now. `asked_again`: deferred identifiers are requested now. `workflow_started`: the run was started. `running`: an attempt is in progress, or no worker runs the work. `unchanged`: the work needs a decision, or its account does not exist yet.',
      schema: Type.Object(
        { id: Type.String(), outcome: Type.Unsafe<string>({ type: 'string', minLength: 1, enum: retryOutcomes }) },
        { title: 'RetriedStuck' },
      ),
      example: { id: ID, outcome: 'activity_reset' },
    },
  },
  refusals: ['not_found'],
};
