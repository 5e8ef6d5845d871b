import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { ImportJobTables } from '../import-job.entity.ts';
import type { FinishedLine } from '../work-off/line-kind.rules.ts';
import { causeView, countCauses } from './cause.rules.ts';
import type { CauseView } from '../results.schema.ts';

/** Most causes of one job: the places of warnings contain names from the sender, and every line may have a new one. */
const CAUSES_MAX = 1_000;

/** Adds to the counts in the order of the key, so that concurrent pages cannot deadlock. New causes beyond the limit are counted at the place `*`. */
const RECORD: PreparedQuery = {
  name: 'import-job-causes-record',
  text: `
    with sent as materialized (
      select s.*, c.job_id is not null as is_known,
        count(*) filter (where c.job_id is null) over (order by s.code, s.place, s.is_warning) as new_count
      from unnest($2::text[], $3::text[], $4::boolean[], $5::integer[], $6::integer[], $7::integer[], $8::text[])
        as s (code, place, is_warning, records, alone, example_line, example_value)
      left join import_job_cause c on c.job_id = $1 and c.code = s.code and c.place = s.place and c.is_warning = s.is_warning),
    capacity as (select ${CAUSES_MAX} - count(*) as free from import_job_cause where job_id = $1),
    placed as (
      select s.code, case when s.is_known or s.new_count <= r.free then s.place else '*' end as place, s.is_warning,
        s.records, s.alone, s.example_line, s.example_value
      from sent s, capacity r)
    insert into import_job_cause as known (job_id, code, place, is_warning, records, alone, example_line, example_value)
    select $1, code, place, is_warning, sum(records), sum(alone), min(example_line), (array_agg(example_value order by example_line))[1]
    from placed group by code, place, is_warning order by code collate "C", place collate "C", is_warning
    on conflict (job_id, code, place, is_warning) do update
    set records = known.records + excluded.records, alone = known.alone + excluded.alone,
      example_line = least(known.example_line, excluded.example_line),
      example_value = case when excluded.example_line < known.example_line then excluded.example_value else known.example_value end`,
};

/**
 * Counts the errors and warnings of lines, by code and place. Call it last in the transaction of a page, because it locks rows that
 * other pages also need.
 * @param em the transaction that also stores the outcomes of the lines
 * @param lines lines with final outcomes
 */
export async function recordCauses(em: EntityManager, jobId: string, lines: readonly FinishedLine[]): Promise<void> {
  const causes = countCauses(lines);
  if (causes.length === 0) return;
  await run(em, RECORD, [
    jobId,
    causes.map(({ code }) => code),
    causes.map(({ place }) => place),
    causes.map(({ isWarning }) => isWarning),
    causes.map(({ records }) => records),
    causes.map(({ alone }) => alone),
    causes.map(({ exampleLine }) => exampleLine),
    causes.map(({ exampleValue }) => exampleValue),
  ]);
}

/**
 * Lists the causes of a job: causes that block most records first, warnings last.
 * @param wanted `limit` undefined for all causes; `onlyBlocking` omits warnings
 */
export async function findCauses(
  on: Queryable,
  jobId: string,
  { limit, onlyBlocking = false }: { limit?: number; onlyBlocking?: boolean } = {},
): Promise<CauseView[]> {
  const causes = await propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job_cause')
    .selectAll()
    .where('jobId', '=', jobId)
    .where('records', '>', 0)
    .$if(onlyBlocking, (all) => all.where('isWarning', '=', false))
    .orderBy('isWarning')
    .orderBy('records', 'desc')
    .orderBy('alone', 'desc')
    .orderBy('code')
    .orderBy('place')
    .$if(limit !== undefined, (all) => all.limit(limit!))
    .execute();
  return causes.map(causeView);
}
