import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText } from '../platform/validation/field-types.schema.ts';
import {
  assignmentSchema,
  claimDecisionSchema,
  DISMISSED_EFFECT,
  dismissalSchema,
  marketMessageSchema,
  messageResult,
  MESSAGES_MAX,
  messageView,
  switchStatusSchema,
  switchView,
  unmatchedKinds,
} from './market-message.schema.ts';

const SENT = {
  message_id: 'ENEDIS-2026-11-21-000042',
  import_supplier: 'SUPPLIER_FR',
  external_account_number: 'HOME-00004711',
  supply_point_identifier: '25012345678901',
  outcome: 'COMPLETED',
  occurred_at: '2026-11-21T06:00:00Z',
};

const VIEW = {
  ...SENT,
  occurred_at: '2026-11-21T06:00:00.000Z',
  received_at: '2026-11-21T06:00:02.000Z',
  reason: null,
  effect: 'fits-nothing',
  effect_detail: 'COMPLETED does not follow PENDING.',
};

const messagePath = { id: { description: 'Id of the message.', example: SENT.message_id } };
const accountPath = {
  supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
  external: { description: 'Number of the account in the external system.', example: 'HOME-00004711' },
};

const switchReply = {
  200: {
    description: 'The switch of the account.',
    schema: switchView,
    example: {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      service_account_number: 'A-7KQ2M9XDT',
      status: 'PENDING',
      supply_points: [{ identifier: '25012345678901', supply_type: 'ELECTRICITY', status: 'PENDING', held: false }],
    },
  },
};

/** `POST market-messages/`. */
export const receiveMarketMessagesOpenApi: RouteOpenApi = {
  operationId: 'receiveMarketMessages',
  tag: 'Operations',
  summary: 'Receive market messages about switches',
  description: `A list of at most ${MESSAGES_MAX} messages; a single message without a list is accepted too. If one message is invalid, none is stored. A message is identified by its id. A message for an unknown account or point, or one that does not fit the status, is stored and listed under \`stuck\`.`,
  request: marketMessageSchema,
  requestListMax: MESSAGES_MAX,
  requestExamples: { 'one message': [SENT] },
  replies: {
    200: {
      description: 'The result of each message, in the order of the request.',
      schema: Type.Object({ results: Type.Array(messageResult) }, { title: 'ReceivedMessages' }),
      example: { results: [{ message_id: SENT.message_id, status: 'MESSAGE_STORED' }] },
    },
  },
  refusals: ['validation_failed'],
};

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
      example: SENT.message_id,
      schema: { type: 'string', minLength: 1, maxLength: 128 },
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of messages.',
      schema: Type.Object(
        { messages: Type.Array(messageView), next_cursor: answeredText() },
        { title: 'UnmatchedMarketMessages' },
      ),
      example: { messages: [VIEW], next_cursor: null },
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
  path: messagePath,
  replies: { 200: { description: 'The message.', schema: messageView, example: VIEW } },
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
  path: messagePath,
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
  replies: switchReply,
  refusals: ['validation_failed', 'account_not_found', 'not_found'],
};

/** `PUT account-import-processes/<supplier>/<external>/switch-status/`. */
export const putSwitchStatusOpenApi: RouteOpenApi = {
  operationId: 'putSwitchStatus',
  tag: 'Operations',
  summary: 'Set the switch status of an account manually',
  description:
    'For all supply points, or for the named one. `PENDING` requests the switch again. It dismisses the unmatched messages of the account.',
  path: accountPath,
  request: switchStatusSchema,
  rules: { supply_point_identifier: ['supply_point_not_found'] },
  requestExamples: { 'send again': { status: 'PENDING', reason: 'The customer has signed now' } },
  replies: switchReply,
  refusals: ['validation_failed', 'account_not_found'],
};

/** `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`. */
export const decideClaimOpenApi: RouteOpenApi = {
  operationId: 'decideSupplyPointClaim',
  tag: 'Operations',
  summary: 'Decide about a supply point that another account also has',
  description:
    'For all held supply points of the account, or for the named one. `GO_ON`: the switch is requested when it is due. `LEAVE`: the point stays with the other account, and its switch here is rejected.',
  page: 'docs/operators/when-something-waits.md#claims',
  path: accountPath,
  request: claimDecisionSchema,
  requestExamples: {
    'go on': { decision: 'GO_ON', reason: 'The former customer has moved out' },
    'leave it': { decision: 'LEAVE', supply_point_identifier: '25012345678901', reason: 'Imported twice' },
  },
  replies: switchReply,
  refusals: ['validation_failed', 'account_not_found', 'not_found'],
};

/** `DELETE market-messages/<id>/`. */
export const dismissMessageOpenApi: RouteOpenApi = {
  operationId: 'setMarketMessageAside',
  tag: 'Operations',
  summary: 'Dismiss an unmatched message',
  path: messagePath,
  request: dismissalSchema,
  requestExamples: { 'with a reason': { reason: 'Meant for another supplier' } },
  replies: {
    200: {
      description: 'The message is dismissed.',
      schema: Type.Object(
        {
          message_id: Type.String(),
          effect: Type.Unsafe<string>({ type: 'string', minLength: 1, enum: [DISMISSED_EFFECT] }),
        },
        { title: 'MessageSetAside' },
      ),
      example: { message_id: SENT.message_id, effect: DISMISSED_EFFECT },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};
