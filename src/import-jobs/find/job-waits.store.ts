import { sql } from 'kysely';
import { workflowIds } from '../../../temporal.config.ts';
import { type Queryable, kyselyOf } from '../../platform/database/prepared-query.ts';
import { findPartyStates } from '../../platform/vendor-http/party-health.store.ts';
import type { WorkItemTable } from '../../platform/work-items/work-item.entity.ts';
import { paymentVendors } from '../../vocabulary/value-sets.ts';
import type { ImportJobColumns } from '../import-job.entity.ts';

/** Why a job waits. */
export interface JobWait {
  /** An outside party, `database` or `gangway`; undefined when the party is not known. */
  party: string | undefined;
  since: Date | undefined;
  /** When its postponed lines are retried. */
  nextTryAt: Date | undefined;
  /** A sentence about the failure of its run. */
  failure: string | undefined;
}

/** Pages are retried at most this long after `not_before`; until then they count as postponed. */
const RETRIED_WITHIN = sql.lit('1 minute');

/**
 * Finds the jobs that wait because their run fails, or because lines are postponed until a party answers.
 * @returns waits by job id; jobs that do not wait are omitted
 */
export async function findJobWaits(
  database: Queryable,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, JobWait>> {
  if (jobIds.length === 0) return new Map();
  const jobs = await kyselyOf<ImportJobColumns & WorkItemTable>(database)
    .selectFrom('import_job as j')
    .leftJoin('work_item as w', (on) =>
      on.on('w.workflow_id', '=', sql<string>`${sql.lit(workflowIds.importJob(''))} || j.id`),
    )
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('import_job_page as p')
          .select((is) => is.fn.min('p.not_before').as('at'))
          .whereRef('p.job_id', '=', 'j.id')
          .where('p.number', 'is not', null)
          .where('p.is_done', 'is', false)
          .where('p.not_before', '>', sql<Date>`now() - ${RETRIED_WITHIN}::interval`)
          .as('postponed'),
      (on) => on.onTrue(),
    )
    .select([
      'j.id',
      'j.kind',
      'w.party',
      'w.failure',
      'w.failing_since as failingSince',
      'postponed.at as postponedTo',
    ])
    .where('j.id', 'in', [...jobIds])
    .where('j.status', 'in', ['VALIDATING', 'RUNNING'])
    .execute();
  const waits = new Map<string, JobWait>();
  for (const { id, kind, party, failure, failingSince, postponedTo } of jobs) {
    if (failure !== null) {
      waits.set(id, { party: party ?? undefined, since: failingSince ?? undefined, nextTryAt: undefined, failure });
    } else if (postponedTo !== null) {
      const vendor = kind === 'payment-instructions' ? await failingVendor(database) : undefined;
      waits.set(id, { party: vendor?.party, since: vendor?.since, nextTryAt: postponedTo, failure: undefined });
    }
  }
  return waits;
}

/** The first failing payment vendor, and since when it has failed. */
async function failingVendor(database: Queryable): Promise<{ party: string; since: Date | undefined } | undefined> {
  const [failing] = (await findPartyStates(database)).filter(
    ({ party, answeredAt, failedAt, pausedUntil }) =>
      party in paymentVendors && (pausedUntil !== null || (failedAt !== null && (answeredAt ?? 0) < failedAt)),
  );
  if (failing === undefined) return undefined;
  const oldest = await kyselyOf<WorkItemTable>(database)
    .selectFrom('work_item')
    .select((is) => is.fn.min('failing_since').as('since'))
    .where('party', '=', failing.party)
    .executeTakeFirst();
  return { party: failing.party, since: oldest?.since ?? failing.answeredAt ?? failing.failedAt ?? undefined };
}
