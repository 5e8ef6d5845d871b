import { Type } from 'typebox';
import type { RouteContract } from '../http/route-contract.ts';

const nullableInstant = () => Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', minLength: 1 });

const stuckView = Type.Object({
  id: Type.String({ description: 'Stays the same for as long as it waits.' }),
  kind: Type.String(),
  workflow_id: Type.String({ description: 'Empty for a market message.' }),
  accounts: Type.Array(Type.Object({ import_supplier: Type.String(), external_account_number: Type.String() })),
  network_operator: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Where it is about the look-ups of an operator.' }),
  batch_id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Where it is about a batch of supply points.' }),
  message_id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Where it is a market message.' }),
  waiting_since: Type.String({ format: 'date-time', minLength: 1 }),
  attempt: Type.Integer({ description: 'Attempts begun so far; 0 when its run is not there.' }),
  last_failure: Type.Unsafe<object | null>({ type: ['object', 'null'], required: ['type', 'message'], properties: { type: { type: 'string' }, message: { type: 'string' } } }),
  next_attempt_at: nullableInstant(),
  paused: Type.Boolean(),
  what_to_do: Type.String(),
}, { title: 'Stuck' });

const ID = 'Y3JlYXRlLWFjY291bnQvU1VQUExJRVJfRlIvSE9NRS0wMDAwNDcxMQ';

/** `GET stuck/?account=`. */
export const listStuckContract: RouteContract = {
  operationId: 'listStuck',
  tag: 'Operations',
  summary: 'See what waits, and why',
  description: 'Longest first, at most 100; what is read is at most two seconds old.',
  paragraph: 'design 4',
  query: { account: { description: 'External account number, or `<supplier>/<number>`.', example: 'SUPPLIER_FR/HOME-00004711' } },
  replies: {
    200: {
      description: 'What waits.',
      schema: Type.Object({ stuck: Type.Array(stuckView), complete: Type.Boolean({ description: 'False when more waits than is listed.' }) }, { title: 'StuckList' }),
      example: {
        stuck: [{
          id: ID, kind: 'create-account', workflow_id: 'create-account/SUPPLIER_FR/HOME-00004711', accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711' }],
          network_operator: null, batch_id: null, message_id: null, waiting_since: '2026-11-20T17:00:00.000Z', attempt: 3, last_failure: { type: 'database_refuses_data', message: 'SQLSTATE 23514' },
          next_attempt_at: '2026-11-20T17:05:00.000Z', paused: false, what_to_do: 'Stage corrected data for the account, or mark it to skip.',
        }],
        complete: true,
      },
    },
  },
  refusals: [],
};

/** `POST stuck/<id>/retry/`. */
export const retryStuckContract: RouteContract = {
  operationId: 'retryStuck',
  tag: 'Operations',
  summary: 'Try at once what waits',
  paragraph: 'design 4',
  path: { id: { description: 'Id from the list of what waits.', example: ID } },
  replies: {
    200: {
      description: 'What the retry did; `asked_again`: identifiers that a network operator keeps failing on are due now; `running`: an attempt is under way, or a worker has to come; `unchanged`: what it waits for is not there.',
      schema: Type.Object({ id: Type.String(), outcome: Type.Unsafe<string>({ type: 'string', minLength: 1, enum: ['activity_reset', 'asked_again', 'workflow_started', 'running', 'unchanged'] }) }, { title: 'RetriedStuck' }),
      example: { id: ID, outcome: 'activity_reset' },
    },
  },
  refusals: ['not_found'],
};
