import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { marketMessageSchema, MESSAGES_MAX, type MarketMessageSent } from './market-message.schema.ts';
import { storeMessages } from './market-message.store.ts';
import { receiveMarketMessagesOpenApi } from './switching.openapi.ts';
import { wakeSwitches } from './wake-switches.client.ts';

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

/** @returns all messages, or a refusal with all violations; those of a list contain the index */
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
