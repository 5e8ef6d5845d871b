import { sql } from 'kysely';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { ImportJobGoal, ImportJobKind } from '../../vocabulary/import-jobs.ts';
import { ENDED_WAVES } from '../../vocabulary/waves.ts';
import type { JobViewer } from '../import-job.store.ts';
import { causeView } from './cause.rules.ts';
import type { CauseView } from '../results.schema.ts';

/** A job with a cause. */
interface JobOfCause {
  id: string;
  name: string | null;
  kind: ImportJobKind;
  goal: ImportJobGoal;
  records: number;
}

/** A cause over several jobs of an import supplier. */
export interface OpenCause extends CauseView {
  importSupplier: string;
  /** The jobs, newest first. */
  jobs: JobOfCause[];
}

/** Most jobs whose causes are added up. */
const JOBS_MAX = 100;
const CAUSES_MAX = 200;
/** All causes of a job. The limit makes Postgres read them by index, and not the whole table. */
const CAUSES_OF_JOB_MAX = 1_000;
const ENDED_DAYS = 7;

/**
 * Adds up, by import supplier, the causes of the newest 100 jobs that have not ended, ended in the last seven days, or belong to a wave that
 * has not ended. Reads counts only, so the time does not depend on the number of accounts.
 * @param wanted `importSupplier` undefined for all; `viewer` undefined for operators
 * @returns at most 200 causes, those that block most records first
 */
export async function findOpenCauses(
  on: Queryable,
  { importSupplier, viewer }: { importSupplier: string | undefined; viewer: JobViewer | undefined },
): Promise<OpenCause[]> {
  const conditions = [
    importSupplier === undefined ? sql`true` : sql`j.import_supplier = ${importSupplier}`,
    viewer === undefined ? sql`true` : sql`j.import_supplier = any(${[...viewer.importSuppliers]})`,
    viewer?.organisation === undefined ? sql`true` : sql`j.organisation = ${viewer.organisation}`,
  ];
  const isVisible = sql.join(conditions, sql` and `);
  const newest = sql`order by j.id desc limit ${JOBS_MAX}`;
  type Row = Omit<OpenCause, keyof CauseView> & Parameters<typeof causeView>[0];
  const { rows } = await sql<Row>`
    with wanted as (
      (select j.id from import_job j where j.status in ('OPEN', 'VALIDATING', 'RUNNING', 'PAUSED') and ${isVisible} ${newest})
      union
      (select j.id from wave w join import_job j on j.wave_id = w.id
       where w.status <> all(${ENDED_WAVES}) and ${isVisible} and (j.selection <> 'wave' or j.id in (w.rehearsal_job_id, w.creation_job_id))
       ${newest})
      union
      (select j.id from (select j.id, j.ended_at from import_job j where ${isVisible} ${newest}) j
       where j.ended_at > now() - make_interval(days => ${ENDED_DAYS}))
    )
    select j.import_supplier as "importSupplier", c.code, c.place, false as "isWarning",
      sum(c.records)::integer as records, sum(c.alone)::integer as alone,
      (array_agg(c.example_line order by j.id desc))[1] as "exampleLine", (array_agg(c.example_value order by j.id desc))[1] as "exampleValue",
      jsonb_agg(jsonb_build_object('id', j.id, 'name', j.name, 'kind', j.kind, 'goal', j.goal, 'records', c.records) order by j.id desc) as jobs
    from (select id from wanted order by id desc limit ${JOBS_MAX}) n
    join import_job j on j.id = n.id
    cross join lateral (
      select * from import_job_cause c where c.job_id = n.id and not c.is_warning and c.records > 0 limit ${CAUSES_OF_JOB_MAX}) c
    group by j.import_supplier, c.code, c.place
    order by records desc, j.import_supplier, c.code, c.place limit ${CAUSES_MAX}`.execute(kyselyOf<object>(on));
  return rows.map((row) => ({ ...causeView(row), importSupplier: row.importSupplier, jobs: row.jobs }));
}
