import { sql } from 'kysely';
import type { Queryable } from '../database/prepared-query.ts';
import type { WorkState } from './work-item.entity.ts';
import { selectWork, type PendingWork } from './work-item.store.ts';

/** A switch normally waits for its date, the dispatcher or messages. It is listed only if it is overdue by this time. */
const SWITCH_OVERDUE_SECONDS = 600;

/** Returns pending work, oldest first. `account` filters by external number or `<supplier>/<number>`. */
export function findWorkItems(database: Queryable, limit: number, account: string | undefined): Promise<PendingWork[]> {
  return selectWork(database)
    .where((is) =>
      is.or([
        is('cause', 'is not', null),
        is('kind', '<>', sql.lit('switch-supplier')),
        is('state', 'in', [sql.lit<WorkState>('unreachable'), sql.lit<WorkState>('silent')]),
        is('start_at', '<', sql<Date>`now() - make_interval(secs => ${SWITCH_OVERDUE_SECONDS})`),
      ]),
    )
    .$if(account !== undefined, (of) =>
      of.where(
        sql<boolean>`${account}::text in (input ->> 'externalAccountNumber', (input ->> 'importSupplier') || '/' || (input ->> 'externalAccountNumber'))`,
      ),
    )
    .orderBy((of) => of('cause', 'is', null))
    .orderBy((of) => of.fn.coalesce('failing_since', 'created_at'))
    .limit(limit)
    .execute();
}
