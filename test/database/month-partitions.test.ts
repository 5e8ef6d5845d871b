import { afterAll, expect, test } from '@jest/globals';
import { readLines } from '../../src/import-jobs/results/import-job-result.store.ts';
import { maintainImportJobs } from '../../src/import-jobs/work-off/maintain-import-jobs.store.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { findTablesWithoutMonth, makeMonthPartitions } from '../../src/platform/database/month-partitions.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { idOf } from '../support/generated-ids.ts';
import { nodesOf } from '../support/query-plan.ts';
import { createTestDatabase } from '../support/test-database.ts';

const clone = await createTestDatabase();
const open = (url: string) =>
  openDatabase({
    url,
    entities,
    poolSize: 4,
    log: createLog({ level: 'silent', process: 'test' }),
    applicationName: 'test',
  });
/** As the role of the service, which owns nothing, and as the owner. */
const [service, owner] = [await open(clone.applicationUrl), await open(clone.url)];
await service.pool.query(`insert into import_supplier (code, name) values ('ONE', 'One')`);
afterAll(async () => {
  await service.close();
  await owner.close();
  await clone.drop();
});

const SETTINGS = { JOB_PARTS_KEPT_DAYS: 7, JOB_PAUSED_DAYS: 30, JOB_RESULTS_KEPT_DAYS: 30 };
/** The name of a month's partition, months from now. */
const nameOf = (table: string, months = 0): string => {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)).toISOString();
  return `${table}_${month.slice(0, 7).replace('-', '_')}`;
};
const query = async (text: string, values: unknown[] = []) => (await service.pool.query(text, values)).rows;
const partitionsOf = async (table: string): Promise<string[]> => {
  const rows = await query(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name as string);
};
const countIn = async (partition: string): Promise<number> =>
  Number((await owner.pool.query(`select count(*) from by_month.${partition}`)).rows[0].count);

let jobs = 0;
/** A job that was made a number of months ago and has ended, with a line that succeeded and a line that failed. */
async function jobOf(monthsAgo: number, endedDaysAgo: number): Promise<string> {
  jobs += 1;
  const made = `date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' - interval '${monthsAgo} months'`;
  const [job] = await query(
    `insert into import_job (id, import_supplier, organisation, api_key_id, kind, goal, selection, status, ended_at)
     select ${idOf(made, 4, String(jobs))}, 'ONE', 'Ours', gen_random_uuid(), 'accounts', 'CREATE', 'uploaded', 'COMPLETED', now() - make_interval(days => $1)
     returning id`,
    [endedDaysAgo],
  );
  await query(
    `insert into import_job_line (job_id, line, key, state, errors) values ($1, 1, 'A', 'succeeded', null), ($1, 2, 'B', 'failed', '[{"code": "blank"}]')`,
    [job!['id']],
  );
  return job!['id'] as string;
}

test('has partitions of this and the next two months after a migration, and makes each once', async () => {
  for (const table of ['event', 'import_job_line']) {
    const expected = [0, 1, 2].map((months) => nameOf(table, months));
    expect(await partitionsOf(table)).toEqual([...expected, `${table}_other`]);
  }
  expect(await Promise.all([makeMonthPartitions(service), makeMonthPartitions(service)])).toEqual([0, 0]);
  expect(await findTablesWithoutMonth(service)).toEqual([]);
});

test('keeps rows whose partition was not made in time, reports them, and moves them', async () => {
  for (const table of ['event', 'import_job_line']) await owner.pool.query(`drop table by_month.${nameOf(table)}`);
  const job = await jobOf(0, 1);
  await query(`insert into event_outbox (import_supplier, type, subject, data) values ('ONE', 't', 's', '{}')`);
  await query('select sequence_events(10)');
  expect(await findTablesWithoutMonth(service)).toEqual(['event', 'import_job_line']);
  expect(await makeMonthPartitions(service)).toBe(0);
  expect(await findTablesWithoutMonth(service)).toEqual([]);
  expect(await countIn(nameOf('event'))).toBe(1);
  expect(await countIn(nameOf('import_job_line'))).toBe(2);
  expect(await query('select line from import_job_line where job_id = $1 order by line', [job])).toHaveLength(2);
  const { rows } = await owner.pool.query(
    `select reloptions as options from pg_class where oid = 'by_month.${nameOf('import_job_line')}'::regclass`,
  );
  expect(rows[0].options).toEqual(['fillfactor=90', 'autovacuum_vacuum_scale_factor=0.02']);
  await expect(query(`insert into import_job_line (job_id, line, state) values (gen_random_uuid(), 1, 'failed')`))
    .rejects // the foreign key
    .toMatchObject({ code: '23503' });
});

test('deletes texts of results after their days, hides the rest, and drops a month when it has no more results', async () => {
  const [old, alsoOld, late] = [await jobOf(5, 40), await jobOf(5, 31), await jobOf(4, 29)];
  await makeMonthPartitions(service);
  const lines = async (id: string) => {
    const found = [];
    for await (const page of readLines(service, id, ['succeeded', 'failed'])) found.push(...page);
    return found.map(({ line }) => line);
  };
  expect(await lines(old)).toEqual([1, 2]);
  await query(`update import_job set ended_at = now() where id = $1`, [alsoOld]);
  await maintainImportJobs(service, SETTINGS)();
  expect(await lines(old)).toEqual([]);
  expect(await lines(alsoOld)).toEqual([1, 2]);
  // The line that failed may repeat personal data.
  expect(await query('select line, key from import_job_line where job_id = $1', [old])).toEqual([
    { line: 1, key: 'A' },
  ]);
  await query(`update import_job set ended_at = now() - interval '31 days' where id = $1`, [alsoOld]);
  await maintainImportJobs(service, SETTINGS)();
  expect(await partitionsOf('import_job_line')).not.toContain(nameOf('import_job_line', -5));
  expect(await query('select from import_job_line where job_id = any($1)', [[old, alsoOld]])).toEqual([]);
  expect(await lines(late)).toEqual([1, 2]);
});

test('neither waits long for a lock nor fails if a table is in use, and drops the partition later', async () => {
  const job = await jobOf(5, 40);
  await makeMonthPartitions(service);
  const reader = await service.pool.connect();
  await reader.query('begin');
  await reader.query('select from import_job_line where job_id = $1', [job]);
  await owner.pool.query(`drop table by_month.${nameOf('event', 2)}`);
  await reader.query('select from event');
  await maintainImportJobs(service, SETTINGS)();
  expect(await makeMonthPartitions(service)).toBe(1);
  expect(await partitionsOf('import_job_line')).toContain(nameOf('import_job_line', -5));
  await reader.query('commit');
  reader.release();
  await maintainImportJobs(service, SETTINGS)();
  expect(await makeMonthPartitions(service)).toBe(0);
  expect(await partitionsOf('import_job_line')).not.toContain(nameOf('import_job_line', -5));
});

test('reads only the partitions that a statement needs, with a generic plan', async () => {
  const planned = async (text: string, values: string): Promise<string[]> => {
    const client = await service.pool.connect();
    try {
      await client.query(`prepare of_month as ${text}`);
      const { rows } = await client.query(`explain (analyze, format json) execute of_month (${values})`);
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      return nodes.flatMap((node) => node['Relation Name'] ?? []);
    } finally {
      await client.query('deallocate of_month');
      client.release();
    }
  };
  const id = (
    await query(`select first_key_of_month('uuid', date_trunc('month', now() at time zone 'UTC')) as id`)
  )[0]!;
  const of = `'${id['id']}'`;
  const line = nameOf('import_job_line');
  expect(await planned('select key from import_job_line where job_id = $1 and line >= $2', `${of}, 1`)).toEqual([line]);
  const updated = await planned(
    `update import_job_line l set state = c.state from unnest($2::integer[], $3::text[]) c (line, state)
       where l.job_id = $1 and l.line = any($2::integer[]) and l.line = c.line`,
    `${of}, '{1}', '{failed}'`,
  );
  expect(new Set(updated)).toEqual(new Set(['import_job_line', line]));
  const after = `first_key_of_month('bigint', date_trunc('month', now() at time zone 'UTC'))::bigint`;
  const [first] = await query(`select ${after} as position`);
  const events = await planned(
    'select e.* from unnest($1::text[]) s (code) cross join lateral (select * from event where import_supplier = s.code and position > $2 order by position limit 9) e',
    `'{ONE}', ${first!['position']}`,
  );
  expect(events.toSorted()).toEqual([0, 1, 2].map((months) => nameOf('event', months)).concat('event_other'));
});
