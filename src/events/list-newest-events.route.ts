import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { cloudEventOf } from './cloud-event.rules.ts';
import { listNewestEventsOpenApi } from './events.openapi.ts';
import { readNewest } from './read-events.store.ts';
import { sequenceEvents } from './sequence-events.store.ts';

const PATH = '/v1/operations/events';
const PAGE_SIZE = 50;

/** `GET events/` of operators: what happened last to an import supplier, or to one of its accounts. */
export const listNewestEvents = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'operator',
  action: 'look',
  openApi: listNewestEventsOpenApi,
  handle: async ({ query }) => {
    const page = await readNewestEvents(deps, query);
    if (isRefused(page)) return page;
    const headers: Record<string, string> =
      page.next === undefined ? {} : { link: `<${PATH}/?${page.next}>; rel="next"` };
    return { status: 200, body: page.events, headers };
  },
});

/** Events newest first. */
export interface EventPage {
  events: ReturnType<typeof cloudEventOf>[];
  /** The query of what is further back; undefined where nothing older is kept. */
  next: URLSearchParams | undefined;
  /** When the oldest event happened that was looked at; undefined where there are none. */
  lookedBackTo: Date | undefined;
}

/**
 * Reads a page by a query: `import_supplier`, `external_account_number`, `before`.
 * @returns a refusal without an import supplier, or of a `before` that is none
 */
export async function readNewestEvents(
  { database }: { database: Database },
  query: URLSearchParams,
): Promise<EventPage | Refused> {
  const [importSupplier, external] = [query.get('import_supplier') ?? '', query.get('external_account_number') ?? ''];
  const before = query.get('before') || undefined;
  const violations = [
    ...(importSupplier === '' ? [violation('required', ['import_supplier'], 'Name the import supplier.')] : []),
    ...(before === undefined || /^\d{1,18}$/.test(before)
      ? []
      : [violation('invalid', ['before'], 'Take it from the Link of the page before.')]),
  ];
  if (violations.length > 0) return refuse('validation_failed', { violations });
  // What the database cannot hold as text has no events.
  if (`${importSupplier}${external}`.includes('\0')) return { events: [], next: undefined, lookedBackTo: undefined };
  if (before === undefined) await sequenceEvents(database, 1);
  const subject = external === '' ? undefined : `accounts/${external}`;
  const { events, next, lookedBackTo } = await readNewest(database, { importSupplier, subject, before }, PAGE_SIZE);
  const narrowed = {
    import_supplier: importSupplier,
    ...(external === '' ? {} : { external_account_number: external }),
  };
  return {
    events: events.map(cloudEventOf),
    next: next === undefined ? undefined : new URLSearchParams({ ...narrowed, before: next }),
    lookedBackTo,
  };
}
