import { type Actor, recordAudit } from '../access/index.ts';
import type { WritableDatabase, Database } from '../platform/database/database.ts';
import type { Reply } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import {
  changeSwitch,
  type ChangeSwitchDeps,
  pointNotFound,
  statusesOf,
  type SwitchOrder,
} from './change-switch.client.ts';
import {
  type Assignment,
  assignmentSchema,
  type Dismissal,
  dismissalSchema,
  DISMISSED_EFFECT,
  isUnmatched,
  type MessageView,
  unmatchedKinds,
} from './market-message.schema.ts';
import {
  assignMessage as assignInDatabase,
  dismissMessage as dismissInDatabase,
  findMessage,
  listUnmatchedMessages,
} from './market-message.store.ts';
import { MarketMessage } from './switch.entity.ts';
import { viewSwitch } from './switch-view.store.ts';
import { applyEvents } from './switch-account.store.ts';

const checkDismissal = compileOperatorBody<Dismissal>(dismissalSchema);
const checkAssignment = compileOperatorBody<Assignment>(assignmentSchema);

/**
 * Dismisses an unmatched message with a reason, and records it in the audit. The message stays stored but has no further effect.
 * @param body validated by `dismissalSchema`
 */
export async function dismissMessage(
  database: WritableDatabase,
  { id, caller }: { id: string; caller: Actor },
  body: unknown,
): Promise<Reply | Refused> {
  const sent = checkDismissal(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  const isDone =
    !id.includes('\0') &&
    (await database.transaction(async (em) => {
      const found = await dismissInDatabase(em, id);
      if (found) {
        await recordAudit(em, caller, {
          action: 'market_message.set_aside',
          subject: `market-messages/${id}`,
          reason: sent.reason,
        });
      }
      return found;
    }));
  return isDone ? { status: 200, body: { message_id: id, effect: DISMISSED_EFFECT } } : nothingPending();
}

/**
 * Assigns an unmatched message to an account or one of its points with a reason, and records it in the audit. The message is applied
 * immediately, ordered by the time of its event. A message that does not match this account either is rejected and stays unmatched.
 * @param body validated by `assignmentSchema`
 */
export async function assignMessage(
  deps: ChangeSwitchDeps,
  { id, ...order }: Omit<SwitchOrder, 'params'> & { id: string },
  body: unknown,
): Promise<Reply | Refused> {
  const sent = checkAssignment(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  if (id.includes('\0')) return nothingPending();
  const params = { supplier: sent.import_supplier, external: sent.external_account_number };
  const point = sent.supply_point_identifier;
  return changeSwitch(
    deps,
    { ...order, params },
    {
      action: 'market_message.assigned',
      subject: 'market-messages',
      reason: sent.reason,
      apply: async (em, account) => {
        const before = await viewSwitch(em, account);
        if (point && !before.supply_points.some(({ identifier }) => identifier === point)) return pointNotFound();
        const copyId = await assignInDatabase(em, id, sent);
        if (copyId === undefined) return nothingPending();
        await applyEvents(em, [account], deps.leadDays);
        const done = await em.findOneOrFail(MarketMessage, { messageId: copyId });
        if (isUnmatched(done)) return doesNotFit(done.effectDetail);
        return (after) => ({
          before: { ...statusesOf(before), message_id: id },
          after: { ...statusesOf(after), message_id: copyId },
        });
      },
    },
  );
}

function doesNotFit(detail: string | null | undefined): Refused {
  const sentence = `The message does not match this account either. ${detail ?? ''}`.trim();
  return refuse('validation_failed', { violations: [violation('invalid', ['external_account_number'], sentence)] });
}

function nothingPending(): Refused {
  return refuse('not_found', {
    detail: 'No unmatched message has this id. GET /v1/operations/market-messages/ lists unmatched messages.',
  });
}

/** Messages per page. */
const PAGE_SIZE = 50;

/** A page of unmatched messages. */
interface MessageList {
  messages: MessageView[];
  next_cursor: string | null;
}

/**
 * Lists unmatched messages, oldest first.
 * @param query `kind`, `import_supplier`, `external_account_number` and `cursor`; empty values are ignored
 */
export async function listMessages(
  database: Database,
  query: URLSearchParams,
  limit = PAGE_SIZE,
): Promise<MessageList | Refused> {
  const given = (name: string) => query.get(name) || undefined;
  const [kind, supplier, external, cursor] = [
    given('kind'),
    given('import_supplier'),
    given('external_account_number'),
    given('cursor'),
  ];
  const wanted = unmatchedKinds.find((known) => known === kind);
  const violations: Violation[] = [];
  if (kind !== undefined && wanted === undefined) {
    violations.push(violation('invalid_choice', ['kind'], `Send one of ${unmatchedKinds.join(', ')}.`));
  }
  if (cursor !== undefined && (await findMessage(database, cursor)) === undefined) {
    violations.push(violation('invalid', ['cursor'], 'Send next_cursor of the previous response.'));
  }
  if (violations.length > 0) return refuse('validation_failed', { violations });
  // Postgres cannot store this character in text, so nothing matches.
  if (`${supplier}${external}`.includes('\0')) return { messages: [], next_cursor: null };
  const found = await listUnmatchedMessages(
    database,
    { kind: wanted, importSupplier: supplier, externalAccountNumber: external },
    limit + 1,
    cursor,
  );
  const messages = found.slice(0, limit);
  return { messages, next_cursor: found.length > limit ? (messages.at(-1)?.message_id ?? null) : null };
}
