import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { marketMessageSchema, type MarketMessageSent, MESSAGES_MAX } from './market-message.schema.ts';
import { storeMessages } from './market-message.store.ts';
import {
  assignMessageOpenApi,
  dismissMessageOpenApi,
  findMessageOpenApi,
  listMessagesOpenApi,
  receiveMarketMessagesOpenApi,
} from './switching.openapi.ts';
import { type ChangeSwitchDeps, wakeSwitches } from './change-switch.client.ts';
import { findMessage as findMessageInDatabase } from './unmatched-message.store.ts';
import { listMessages as list } from './list-messages.client.ts';
import { assignMessage as assign, dismissMessage as dismiss } from './decide-message.client.ts';

/** Most message ids in the audit row of a request. */
const AUDITED_IDS_MAX = 100;

const checkMessage = compileOperatorBody<MarketMessageSent>(marketMessageSchema);

/**
 * `POST market-messages/`: receives one message or a list. Each is stored once under its id, even if the account or the
 * point does not exist yet; sending it again changes nothing. The runs of the accounts apply the messages.
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
  openApi: receiveMarketMessagesOpenApi,
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
    await wakeSwitches({ gateway: deps.gateway, log }, signalled);
    return { status: 200, body: { results } };
  },
});

/** @returns all messages, or a refusal with all violations; violations of a list contain the index */
function checked(body: unknown): MarketMessageSent[] | Refused {
  if (!Array.isArray(body)) {
    const message = checkMessage(body);
    return isRefused(message) ? message : [message];
  }
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

/** `GET market-messages/`: unmatched messages, oldest first. */
export const listMessages = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/market-messages',
  access: 'operator',
  action: 'look',
  openApi: listMessagesOpenApi,
  handle: async ({ query }) => {
    const found = await list(deps.database, query);
    return isRefused(found) ? found : { status: 200, body: found };
  },
});

/** `GET market-messages/<id>/`: one message with its effect. */
export const findMessage = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/market-messages/:id',
  access: 'operator',
  action: 'look',
  openApi: findMessageOpenApi,
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
  openApi: assignMessageOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller, log }) => assign(deps, { id: params['id'] ?? '', caller, log }, body),
});

/** `DELETE market-messages/<id>/`: dismisses an unmatched message, with a reason. */
export const dismissMessage = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/market-messages/:id',
  access: 'operator',
  action: 'market-message.decide',
  openApi: dismissMessageOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => dismiss(deps.database, { id: params['id'] ?? '', caller }, body),
});
