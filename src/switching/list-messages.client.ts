import type { Database } from '../platform/database/database.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { findMessage, listUnmatchedMessages } from './unmatched-message.store.ts';
import { type MessageView, unmatchedKinds } from './market-message.schema.ts';

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
