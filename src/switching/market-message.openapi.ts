import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { assignmentSchema, unmatchedKinds } from './market-message.schema.ts';
import { switchExample, switchOfAccount } from './switching.openapi.ts';

const EXAMPLE_ID = 'ENEDIS-2026-11-21-000042';

const message = Type.Object(
  {
    message_id: Type.String(),
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    supply_point_identifier: answeredText({ description: 'Null if the message applies to all points of the account.' }),
    outcome: answeredText(),
    occurred_at: requiredInstant(),
    received_at: requiredInstant(),
    reason: answeredText(),
    effect: Type.String({
      description:
        '`fits-nothing`, `unknown-account` and `unknown-point` wait for an operator. `set-aside` was dismissed or assigned to an account.',
    }),
    effect_detail: answeredText(),
  },
  { title: 'MarketMessage' },
);

const example = {
  message_id: EXAMPLE_ID,
  import_supplier: 'SUPPLIER_FR',
  external_account_number: 'HOME-00004711',
  supply_point_identifier: '25012345678901',
  outcome: 'COMPLETED',
  occurred_at: '2026-11-21T06:00:00.000Z',
  received_at: '2026-11-21T06:00:02.000Z',
  reason: null,
  effect: 'fits-nothing',
  effect_detail: 'COMPLETED does not follow PENDING.',
};

const path = { id: { description: 'Id of the message.', example: EXAMPLE_ID } };

/** `GET market-messages/`. */
export const listMessagesOpenApi: RouteOpenApi = {
  operationId: 'listUnmatchedMarketMessages',
  tag: 'Operations',
  summary: 'List unmatched market messages',
  description: 'Oldest first, 50 per page.',
  page: 'docs/operators/when-something-waits.md#market-messages',
  query: {
    kind: {
      description: 'Only messages that are unmatched for this reason.',
      example: 'unknown-account',
      schema: { type: 'string', enum: [...unmatchedKinds] },
      violations: ['invalid_choice'],
    },
    import_supplier: { description: 'Code of an import supplier.', example: 'SUPPLIER_FR' },
    external_account_number: {
      description: 'External number of an account, of any import supplier unless `import_supplier` is sent too.',
      example: 'HOME-00004711',
    },
    cursor: {
      description: '`next_cursor` of the previous page.',
      example: EXAMPLE_ID,
      schema: { type: 'string', minLength: 1, maxLength: 128 },
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of messages.',
      schema: Type.Object(
        { messages: Type.Array(message), next_cursor: answeredText() },
        { title: 'UnmatchedMarketMessages' },
      ),
      example: { messages: [example], next_cursor: null },
    },
  },
  refusals: ['validation_failed'],
};

/** `GET market-messages/<id>/`. */
export const findMessageOpenApi: RouteOpenApi = {
  operationId: 'findMarketMessage',
  tag: 'Operations',
  summary: 'Read one market message with its effect',
  page: 'docs/operators/when-something-waits.md#market-messages',
  path,
  replies: { 200: { description: 'The message.', schema: message, example } },
  refusals: ['not_found'],
};

/** `POST market-messages/<id>/assign/`. */
export const assignMessageOpenApi: RouteOpenApi = {
  operationId: 'assignMarketMessage',
  tag: 'Operations',
  summary: 'Assign an unmatched market message to an account',
  description:
    'Or to one of its supply points. A copy of the message is applied immediately, and the original is dismissed, so that it is recognized if it is sent again. A message that does not match there either is rejected.',
  page: 'docs/operators/when-something-waits.md#market-messages',
  path,
  request: assignmentSchema,
  rules: { supply_point_identifier: ['supply_point_not_found'], external_account_number: ['invalid'] },
  requestExamples: {
    'to a point': {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      supply_point_identifier: '25012345678901',
      reason: 'The network operator had the old number',
    },
  },
  replies: { 200: { description: 'The switch of the account.', schema: switchOfAccount, example: switchExample } },
  refusals: ['validation_failed', 'account_not_found', 'not_found'],
};
