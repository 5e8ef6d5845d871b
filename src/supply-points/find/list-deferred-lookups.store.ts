import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';

/** An identifier that its network operator has failed on, and that is asked for again later. */
export interface DeferredLookupView {
  identifier: string;
  customer_authorisation: boolean;
  tries: number;
  last_failure: string | null;
  set_aside_at: string | null;
  next_attempt_at: string;
  /** False: its batches were cancelled, and nobody waits for it. */
  wanted: boolean;
}

/** A page of them. */
export interface DeferredLookupPage {
  look_ups: DeferredLookupView[];
  next_cursor: string | null;
}

const PAGE_SIZE = 50;
/** Microseconds of the next attempt, and the number of the lookup. */
const CURSOR = /^(\d{1,16})-(\d{1,18})$/;

const LISTED: PreparedQuery = {
  name: 'lookups-deferred',
  text: `
    select l.identifier, l.customer_authorisation, l.tries, l.last_failure, l.deferred_at, l.due_at,
      (extract(epoch from l.due_at) * 1000000)::bigint || '-' || l.id as cursor,
      exists (select from population_request r where r.look_up_id = l.id and r.state = 'deferred') as wanted
    from look_up l
    where l.network_operator = $1 and l.due_at is not null and (l.due_at, l.id) > ('epoch'::timestamptz + $2::float8 * interval '1 microsecond', $3::bigint)
    order by l.due_at, l.id limit $4`,
};

interface Row extends Record<string, unknown> {
  identifier: string;
  customer_authorisation: boolean;
  tries: number;
  last_failure: string | null;
  deferred_at: Date | null;
  due_at: Date;
  cursor: string;
  wanted: boolean;
}

/** Lists what is deferred at a network operator, in the order in which it is asked for again. */
export async function listDeferredLookups(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  cursor: string | null,
): Promise<DeferredLookupPage | Refused> {
  const [, dueAt, id] = CURSOR.exec(cursor || '0-0') ?? [];
  if (dueAt === undefined || id === undefined) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['cursor'], 'Take next_cursor from the answer before.')],
    });
  }
  const rows = await run<Row>(database, LISTED, [networkOperator, dueAt, id, PAGE_SIZE + 1]);
  const page = rows.slice(0, PAGE_SIZE);
  return {
    look_ups: page.map((row) => ({
      identifier: row.identifier,
      customer_authorisation: row.customer_authorisation,
      tries: row.tries,
      last_failure: row.last_failure,
      set_aside_at: row.deferred_at?.toISOString() ?? null,
      next_attempt_at: row.due_at.toISOString(),
      wanted: row.wanted,
    })),
    next_cursor: rows.length > PAGE_SIZE ? (page.at(-1)?.cursor ?? null) : null,
  };
}
