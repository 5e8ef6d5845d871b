import { sql } from 'kysely';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { ImportJobSelection, LineState } from '../../vocabulary/import-jobs.ts';
import { type LineFault, placeOf } from './cause.rules.ts';

/** A cause among the compared records, with the number of records now and in the rehearsal. */
interface ComparedCause {
  code: string;
  place: string;
  now: number;
  before: number;
}

/** How the first processed records of a job fared in the last rehearsal of the same records. */
export interface RehearsalComparison {
  jobId: string;
  endedAt: Date;
  /** Compared records: those with a result now. */
  records: number;
  succeeded: number;
  failed: number;
  /** Records that the rehearsal did not process. */
  notRehearsed: number;
  causes: ComparedCause[];
}

/** Most lines that are compared. A canary is far smaller. */
const COMPARED_MAX = 5_000;
/** Most earlier jobs of the supplier among which the rehearsal is found. */
const JOBS_SEARCHED_MAX = 200;

interface Rehearsal {
  id: string;
  selection: ImportJobSelection;
  endedAt: Date;
}

interface Row {
  errors: LineFault[] | null;
  stateBefore: LineState | null;
  errorsBefore: LineFault[] | null;
}

/**
 * Compares the results of a job with those of its accounts in the last completed rehearsal of the same parts, wave or selection. Reads the
 * first 5,000 lines of the job.
 * @returns undefined without such a rehearsal
 */
export async function compareWithRehearsal(on: Queryable, jobId: string): Promise<RehearsalComparison | undefined> {
  const rehearsal = await findRehearsal(on, jobId);
  if (rehearsal === undefined) return undefined;
  const { rows } = await sql<Row>`
    select n.errors, b.state as "stateBefore", b.errors as "errorsBefore"
    from (select key, state, errors from import_job_line where job_id = ${jobId} order by line limit ${COMPARED_MAX}) n
    left join import_job_line b on b.job_id = ${rehearsal.id} and b.key = n.key and ${isLineOfKey(rehearsal)}
    where n.state <> 'staged'`.execute(kyselyOf<object>(on));
  const causes = new Map<string, ComparedCause>();
  for (const { errors, errorsBefore } of rows) {
    countIn(causes, 'now', errors);
    countIn(causes, 'before', errorsBefore);
  }
  const before = (states: readonly (LineState | null)[]) =>
    rows.filter(({ stateBefore }) => states.includes(stateBefore)).length;
  return {
    jobId: rehearsal.id,
    endedAt: rehearsal.endedAt,
    records: rows.length,
    succeeded: before(['succeeded']),
    failed: before(['failed', 'quarantined']),
    notRehearsed: before([null, 'staged']),
    causes: [...causes.values()].toSorted((one, other) => other.now - one.now || other.before - one.before),
  };
}

/** SQL: whether a line is that of its key. Only uploads have several lines of a key; a partial index needs the constant. */
const isLineOfKey = ({ selection }: Rehearsal) =>
  selection === 'uploaded' ? sql<boolean>`b.claims_key` : sql<boolean>`not b.claims_key`;

/** Counts the causes of a record, each once. */
function countIn(causes: Map<string, ComparedCause>, side: 'now' | 'before', errors: readonly LineFault[] | null) {
  const ofRecord = new Map((errors ?? []).map(({ code, attr }) => [`${code} ${placeOf(attr)}`, { code, attr }]));
  for (const [key, { code, attr }] of ofRecord) {
    const cause = causes.get(key) ?? { code, place: placeOf(attr), now: 0, before: 0 };
    cause[side] += 1;
    causes.set(key, cause);
  }
}

/** SQL: the content of the parts of a job. */
const partsOf = (job: string) =>
  sql`(select string_agg(t.sha256, ' ' order by t.part) from import_job_part t where t.job_id = ${sql.ref(job)})`;

async function findRehearsal(on: Queryable, jobId: string): Promise<Rehearsal | undefined> {
  const { rows } = await sql<Rehearsal>`
    select r.id, r.selection, r.ended_at as "endedAt"
    from import_job j cross join lateral (
      select * from import_job e where e.import_supplier = j.import_supplier and e.id < j.id order by e.id desc limit ${JOBS_SEARCHED_MAX}) r
    where j.id = ${jobId} and r.kind = j.kind and r.goal = 'REHEARSE' and r.status = 'COMPLETED' and r.results_deleted_at is null
      and r.organisation = j.organisation and r.selection = j.selection
      and case j.selection when 'staged' then true when 'wave' then r.wave_id = j.wave_id else ${partsOf('r.id')} = ${partsOf('j.id')} end
    order by r.id desc limit 1`.execute(kyselyOf<object>(on));
  return rows[0];
}
