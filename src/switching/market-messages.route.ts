import { Type } from 'typebox';
import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorRead, replyWith, type Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { answeredText, oneOf } from '../platform/validation/field-types.schema.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import {
  assignmentSchema,
  DISMISSED_EFFECT,
  dismissalSchema,
  EXAMPLE_MESSAGE,
  EXAMPLE_POINT,
  marketMessageSchema,
  type MarketMessageSent,
  messageId,
  messageResult,
  MESSAGES_MAX,
  messageView,
  switchView,
  unmatchedKinds,
} from './market-message.schema.ts';
import { storeMessages, findMessage as findMessageInDatabase } from './market-message.store.ts';
import { type ChangeSwitchDeps, wakeSwitches } from './change-switch.client.ts';
import { listMessages as list, assignMessage as assign, dismissMessage as dismiss } from './decide-message.client.ts';

const DOCS = 'docs/operators/when-something-waits.md#market-messages';
/** Most message ids in the audit row of a request. */
const AUDITED_IDS_MAX = 100;

const checkMessage = compileOperatorBody<MarketMessageSent>(marketMessageSchema);

const receiveOpenApi: RouteOpenApi = {
  operationId: 'receiveMarketMessages',
  summary: 'Receive market messages about switches',
  description: `A list of at most ${MESSAGES_MAX} messages. If one message is invalid, none is stored. A message is identified by its id. A message for an unknown account or point, or one that does not fit the status, is stored and listed under \`stuck\`.`,
  request: marketMessageSchema,
  requestListMax: MESSAGES_MAX,
  requestExamples: {
    'one message': [
      {
        message_id: EXAMPLE_MESSAGE,
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        supply_point_identifier: EXAMPLE_POINT,
        outcome: 'COMPLETED',
        occurred_at: '2026-11-21T06:00:00Z',
      },
    ],
  },
  replies: {
    200: {
      description: 'The result of each message, in the order of the request.',
      schema: Type.Object({ results: Type.Array(messageResult) }, { title: 'ReceivedMessages' }),
    },
  },
};

/**
 * `POST market-messages/`: receives a list of messages. Each is stored once under its id, even if the account or the
 * point does not exist yet; sending it again changes nothing. The run of pages applies the messages.
 */
export const receiveMarketMessages = (deps: {
  database: Database;
  gateway: TemporalGateway;
  bodyLimitBytes: number;
}): Route => ({
  method: 'POST',
  path: '/v1/operations/market-messages',
  access: 'operator',
  action: 'market-message.hand-in',
  openApi: receiveOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async ({ body, log, caller }) => {
    const messages = checked(body);
    if (isRefused(messages)) return messages;
    const { results, signalled } = await deps.database.transaction(async (em) => {
      const stored = await storeMessages(em, messages);
      await recordAudit(em, caller, {
        action: 'market_messages.received',
        subject: 'market-messages',
        after: {
          count: messages.length,
          message_ids: messages.slice(0, AUDITED_IDS_MAX).map(({ message_id: id }) => id),
        },
      });
      return stored;
    });
    wakeSwitches({ gateway: deps.gateway, log }, signalled);
    return { status: 200, body: { results } };
  },
});

/** @returns all messages, or a refusal with all violations, each with the index of its message */
function checked(body: unknown): MarketMessageSent[] | Refused {
  if (!Array.isArray(body)) return refuse('validation_failed', { violations: [violation('not_a_list', [])] });
  if (body.length === 0) return refuse('validation_failed', { violations: [violation('empty', [])] });
  if (body.length > MESSAGES_MAX) {
    return refuse('validation_failed', {
      violations: [
        violation('max_length', [], `Send at most ${MESSAGES_MAX} messages in one request, not ${body.length}.`),
      ],
    });
  }
  const violations: Violation[] = [];
  const messages = body.map((item, index) => {
    const message = checkMessage(item);
    if (isRefused(message)) {
      violations.push(...(message.violations ?? []).map((one) => ({ ...one, attr: `${index}.${one.attr}` })));
    }
    return message;
  });
  return violations.length > 0 ? refuse('validation_failed', { violations }) : (messages as MarketMessageSent[]);
}

const listOpenApi: RouteOpenApi = {
  operationId: 'listUnmatchedMarketMessages',
  summary: 'List unmatched market messages',
  description: 'Oldest first, 50 per page.',
  page: DOCS,
  query: {
    kind: {
      description: 'Only messages that are unmatched for this reason.',
      example: 'unknown-account',
      schema: { type: 'string', enum: [...unmatchedKinds] },
    },
    import_supplier: { description: 'Code of an import supplier.', example: 'SUPPLIER_FR' },
    external_account_number: {
      description: 'External number of an account, of any import supplier unless `import_supplier` is sent too.',
      example: 'HOME-00004711',
    },
    cursor: {
      description: '`next_cursor` of the previous page.',
      example: EXAMPLE_MESSAGE,
      schema: { type: 'string', minLength: 1, maxLength: 128 },
    },
  },
  replies: {
    200: {
      description: 'A page of messages.',
      schema: Type.Object(
        { messages: Type.Array(messageView), next_cursor: answeredText() },
        { title: 'UnmatchedMarketMessages' },
      ),
    },
  },
};

/** `GET market-messages/`: unmatched messages, oldest first. */
export const listMessages = (deps: { database: Database }): Route =>
  operatorRead({
    path: '/v1/operations/market-messages',
    openApi: listOpenApi,
    handle: async ({ query }) => replyWith(await list(deps.database, query)),
  });

const messagePath = { id: { description: 'Id of the message.', example: EXAMPLE_MESSAGE } };

/** `GET market-messages/<id>/`: one message with its effect. */
export const findMessage = (deps: { database: Database }): Route =>
  operatorRead({
    path: '/v1/operations/market-messages/:id',
    openApi: {
      operationId: 'findMarketMessage',
      summary: 'Read one market message with its effect',
      page: DOCS,
      path: messagePath,
      replies: { 200: { description: 'The message.', schema: messageView } },
      refusals: ['not_found'],
    },
    handle: async ({ params }) => {
      const found = await findMessageInDatabase(deps.database, params['id'] ?? '');
      return found === undefined ? unknownMessage() : { status: 200, body: found };
    },
  });

const unknownMessage = () => refuse('not_found', { detail: 'No message is stored under this id.' });

/** `POST market-messages/<id>/assign/`: assigns an unmatched message to an account or one of its points, with a reason. */
export const assignMessage = (deps: ChangeSwitchDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/market-messages/:id/assign',
  access: 'operator',
  action: 'market-message.decide',
  openApi: {
    operationId: 'assignMarketMessage',
    summary: 'Assign an unmatched market message to an account',
    description:
      'Or to one of its supply points. A copy of the message is applied immediately, and the original is dismissed, so that it is recognized if it is sent again. A message that does not match there either is rejected.',
    page: DOCS,
    path: messagePath,
    request: assignmentSchema,
    rules: { supply_point_identifier: ['supply_point_not_found'], external_account_number: ['invalid'] },
    requestExamples: {
      'to a point': {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        supply_point_identifier: EXAMPLE_POINT,
        reason: 'The network operator had the old number',
      },
    },
    replies: { 200: { description: 'The switch of the account.', schema: switchView } },
    refusals: ['account_not_found', 'not_found'],
  },
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller, log }) => assign(deps, { id: params['id'] ?? '', caller, log }, body),
});

/** `DELETE market-messages/<id>/`: dismisses an unmatched message, with a reason. */
export const dismissMessage = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/market-messages/:id',
  access: 'operator',
  action: 'market-message.decide',
  openApi: {
    operationId: 'setMarketMessageAside',
    summary: 'Dismiss an unmatched message',
    path: messagePath,
    request: dismissalSchema,
    requestExamples: { 'with a reason': { reason: 'Meant for another supplier' } },
    replies: {
      200: {
        description: 'The message is dismissed.',
        schema: Type.Object(
          { message_id: messageId(), effect: oneOf([DISMISSED_EFFECT]) },
          { title: 'MessageSetAside' },
        ),
      },
    },
    refusals: ['not_found'],
  },
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => dismiss(deps.database, { id: params['id'] ?? '', caller }, body),
});
