import type { Database } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { cloudEventOf, cursorIn } from './cloud-event.rules.ts';
import { listEventsOpenApi } from './events.openapi.ts';
import { readEvents, type LostCursor } from './read-events.store.ts';
import { sequenceEvents } from './sequence-events.store.ts';

const PATH = '/v1/data-import/events';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;
/** So many thousands of events wait only while a whole migration runs; the next call goes on. */
const ROUNDS_OF_SEQUENCING = 3;

/** `GET events/`: what has happened since a cursor, to the key's import suppliers. */
export const listEvents = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'supplier',
  openApi: listEventsOpenApi,
  handle: (request) => answer(deps, request),
});

async function answer(
  { database }: { database: Database },
  { query, caller }: AuthenticatedRequest,
): Promise<Reply | Refused> {
  const sentLimit = query.get('limit') ?? String(LIMIT_DEFAULT);
  const limit = /^\d{1,3}$/.test(sentLimit) ? Number(sentLimit) : 0;
  const sentAfter = query.get('after') ?? undefined;
  const after = sentAfter === undefined ? undefined : cursorIn(sentAfter);
  const violations: Violation[] = [];
  if (limit < 1 || limit > LIMIT_MAX) {
    violations.push(violation('invalid', ['limit'], `A whole number from 1 to ${LIMIT_MAX} is expected.`));
  }
  if (sentAfter !== undefined && after === undefined) {
    violations.push(violation('invalid', ['after'], 'Take the cursor of an event that you have read.'));
  }
  if (violations.length > 0) return refuse('validation_failed', { violations });
  await sequenceEvents(database, ROUNDS_OF_SEQUENCING);
  const events = await readEvents(database, caller, after, limit);
  if (typeof events === 'string') {
    return refuse('validation_failed', { violations: [violation('invalid', ['after'], LOST[events])] });
  }
  const body = events.map(cloudEventOf);
  const last = body.length === limit ? body.at(-1) : undefined;
  return {
    status: 200,
    body,
    headers: last === undefined ? {} : { link: `<${PATH}/?limit=${limit}&after=${last.cursor}>; rel="next"` },
  };
}

const LOST: Record<LostCursor, string> = {
  past: 'Events after this cursor are older than is kept, and are deleted: read the state of what you follow, then begin without a cursor.',
  unknown:
    'No event has this cursor. Where the service was restored to an earlier moment, read the state of what you follow, then begin without a cursor.',
};
