import { limitParameter } from '../platform/http/query-parameters.ts';
import { Type } from 'typebox';
import { cloudEventOf, cursorIn } from './event.rules.ts';
import { cloudEvent, EXAMPLE_CURSOR } from './events.openapi.ts';
import { type LostCursor, readEvents, readNewest, sequenceEvents } from './event.store.ts';
import type { Database } from '../platform/database/database.ts';
import {
  operatorRead,
  type AuthenticatedRequest,
  type Reply,
  type Route,
  type Viewer,
} from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
import { type Violation, violation } from '../vocabulary/violations.ts';

const PATH = '/v1/data-import/events';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;
/** More events wait only during a migration; the next request continues. */
const ROUNDS_OF_SEQUENCING = 3;

const listOpenApi: RouteOpenApi = {
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'List events since a cursor',
  description:
    "The events of your key's import suppliers. Events of one account, business, job or batch are in the order in which they happened. Events of import jobs and batches are visible to keys of the same organization.",
  page: 'docs/suppliers/events.md',
  query: {
    after: {
      description:
        'The cursor of the last event that you have read. If omitted, the list starts with the oldest stored event.',
      example: EXAMPLE_CURSOR,
      schema: { type: 'string', minLength: 1, pattern: '^[0-9]{1,18}-[0-9a-f]{8}$' },
    },
    limit: limitParameter(
      'Events per page, 100 by default. The header Link leads to the next page while there may be more.',
      LIMIT_DEFAULT,
      LIMIT_MAX,
    ),
  },
  replies: { 200: { description: 'The events.', hasLink: true, schema: Type.Array(cloudEvent) } },
};

/** `GET events/`: events of the key's import suppliers after a cursor. */
export const listEvents = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'supplier',
  openApi: listOpenApi,
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
    violations.push(violation('invalid', ['after'], 'Send the cursor of an event that you have read.'));
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
  past: 'Events after this cursor have been deleted. Read the current state of your accounts and jobs, then start without a cursor.',
  unknown:
    'No event has this cursor. If the service was restored to an earlier time, read the current state of your accounts and jobs, then start without a cursor.',
};

const OPERATORS_PATH = '/v1/operations/events';
const PAGE_SIZE = 50;

const newestOpenApi: RouteOpenApi = {
  operationId: 'listNewestEvents',
  summary: 'List the newest events of an import supplier or account',
  description:
    'Newest first, 50 a page, of all organizations. For one account, a page scans at most 5,000 events and can be empty; the header Link leads to earlier events.',
  page: 'docs/operators/suppliers-and-options.md#addresses-for-events',
  query: {
    import_supplier: {
      description: 'Code of the import supplier.',
      example: 'SUPPLIER_FR',
      isRequired: true,
      violations: ['required'],
    },
    external_account_number: { description: 'Only events of this account.', example: 'HOME-00000001' },
    before: {
      description: 'The cursor from the header Link of the previous page.',
      example: '4711',
      schema: { type: 'string', minLength: 1, pattern: '^[0-9]{1,18}$' },
    },
  },
  replies: { 200: { description: 'The events.', hasLink: true, schema: Type.Array(cloudEvent) } },
};

/** `GET events/` for operators: the newest events of an import supplier, or of one of its accounts. */
export const listNewestEvents = (deps: { database: Database }): Route =>
  operatorRead({
    path: OPERATORS_PATH,
    openApi: newestOpenApi,
    handle: async ({ query }) => {
      const page = await readNewestEvents(deps, query);
      if (isRefused(page)) return page;
      if (page.next === undefined) return { status: 200, body: page.events };
      const [supplier, external] = [query.get('import_supplier') ?? '', query.get('external_account_number')];
      const narrowed = { import_supplier: supplier, ...(external && { external_account_number: external }) };
      const further = new URLSearchParams({ ...narrowed, before: page.next });
      const headers = { link: `<${OPERATORS_PATH}/?${further}>; rel="next"` };
      return { status: 200, body: page.events, headers };
    },
  });

/** A page of events, newest first. */
export interface EventPage {
  events: ReturnType<typeof cloudEventOf>[];
  /** `before` of the next older page; undefined on the last one. */
  next: string | undefined;
  /** When the oldest scanned event happened; undefined without events. */
  scannedBackTo: Date | undefined;
}

/**
 * Reads a page by a query: `import_supplier`, `external_account_number`, `before`.
 * @param viewer undefined for operators, who read those of all organizations
 * @returns a refusal without an import supplier or with a malformed `before`
 */
export async function readNewestEvents(
  { database }: { database: Database },
  query: URLSearchParams,
  viewer?: Viewer,
  limit = PAGE_SIZE,
): Promise<EventPage | Refused> {
  const [importSupplier, external] = [query.get('import_supplier') ?? '', query.get('external_account_number') ?? ''];
  const before = query.get('before') || undefined;
  const violations = [
    ...(importSupplier === '' ? [violation('required', ['import_supplier'], 'Send an import supplier.')] : []),
    ...(before === undefined || /^\d{1,18}$/.test(before)
      ? []
      : [violation('invalid', ['before'], 'Use the value from the header Link of the previous page.')]),
  ];
  if (violations.length > 0) return refuse('validation_failed', { violations });
  // Postgres cannot store this character in text, so there are no such events.
  if (`${importSupplier}${external}`.includes('\0')) return { events: [], next: undefined, scannedBackTo: undefined };
  if (before === undefined) await sequenceEvents(database, 1);
  const subject = external === '' ? undefined : `accounts/${external}`;
  const wanted = { importSupplier, subject, before, organisation: viewer?.organisation };
  const { events, next, scannedBackTo } = await readNewest(database, wanted, limit);
  return { events: events.map(cloudEventOf), next, scannedBackTo };
}
