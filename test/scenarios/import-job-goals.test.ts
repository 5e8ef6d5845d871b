import { afterAll, afterEach, expect, test } from '@jest/globals';
import { maintainImportJobs } from '../../src/import-jobs/work-off/maintain-import-jobs.store.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { putJob, startJob, signalJob, untilJob, type JobToPut } from '../support/run-import-job.ts';
import { until } from '../support/until.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
// A rejection by the database that no validation foresees.
await service.database.pool.query(`
    create function refuse_poison() returns trigger language plpgsql as $$ begin
      if new.external_account_number like 'POISON%' then raise check_violation using table = 'account', constraint = 'account_not_poison'; end if;
      return new;
    end $$`);
await service.database.pool.query(
  'create trigger refuse_poison before insert on account for each row execute function refuse_poison()',
);
afterEach(async () => {
  await service.database.pool.query(
    `update import_supplier set status = 'Ongoing', options = '{}', options_revision = options_revision + 1`,
  );
});

let sequence = 0;
const prefixes = new Map<string, number>();
/** Accounts that no other test uses. */
function accounts(count: number, prefix: string): { external_account_number: string }[] {
  return Array.from({ length: count }, () => {
    sequence += 1;
    const index = (prefixes.get(prefix) ?? 0) + 1;
    prefixes.set(prefix, index);
    return {
      ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence),
      external_account_number: `${prefix}-${index}`,
    };
  });
}
async function rows(text: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  return (await service.database.pool.query(text, values)).rows;
}
async function start(job: JobToPut): Promise<string> {
  const jobId = await putJob(service.database, job);
  await startJob(service.gateway, jobId);
  return jobId;
}
const untilDone = (jobId: string) => untilJob(service.database, jobId);
const untilPaused = (jobId: string, because: string) =>
  untilJob(service.database, jobId, ({ status, pausedBecause }) => status === 'PAUSED' && pausedBecause === because);
const change = async (jobId: string, assignments: string) => {
  await service.database.pool.query(`update import_job set ${assignments} where id = $1`, [jobId]);
  await signalJob(service.gateway, jobId);
};
const created = async (prefix: string): Promise<number> =>
  (await rows(`select count(*)::integer as n from account where external_account_number like $1`, [`${prefix}-%`]))[0]![
    'n'
  ];
const staged = async (prefix: string): Promise<number> =>
  (
    await rows(`select count(*)::integer as n from import_process where external_account_number like $1`, [
      `${prefix}-%`,
    ])
  )[0]!['n'];
const codes = (jobId: string) =>
  rows(
    `select errors -> 0 ->> 'code' as code, count(*)::integer as lines from import_job_line where job_id = $1 and errors is not null group by 1 order by 1`,
    [jobId],
  );

test('VALIDATE reports what staging would report, and stores nothing', async () => {
  const bad = { ...accounts(1, 'VALID')[0]!, account_type: 'CASTLE' };
  const job = await untilDone(await start({ goal: 'VALIDATE', lines: [...accounts(30, 'VALID'), bad] }));
  expect(job).toMatchObject({ succeeded: 30, failed: 1 });
  expect(await staged('VALID')).toBe(0);
});

test('STAGE stores accounts that single calls can create', async () => {
  const job = await untilDone(await start({ goal: 'STAGE', lines: accounts(20, 'STAGE') }));
  expect(job).toMatchObject({ succeeded: 20, failed: 0 });
  expect(
    await rows(
      `select distinct revision, imported_at from import_process where external_account_number like 'STAGE-%'`,
    ),
  ).toEqual([{ revision: 1, imported_at: null }]);
  const answer = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token: await service.supplierToken(['SUPPLIER_FR']),
    body: {
      import_supplier_code: 'SUPPLIER_FR',
      external_account_number: 'STAGE-1',
      operations_team_name: 'Migration',
    },
  });
  expect(answer.status).toBe(201);
});

test('REHEARSE reports what creation would report for each account, and stores no row, number or work item', async () => {
  const before = await rows('select last_value from account_number_sequence');
  const lines = [
    ...accounts(40, 'REHEARSE'),
    ...accounts(1, 'POISON'),
    { ...accounts(1, 'REHEARSE')[0], business: null, account_type: 'X' },
  ];
  const jobId = await start({ goal: 'REHEARSE', lines });
  expect(await untilDone(jobId)).toMatchObject({ succeeded: 40, failed: 2 });
  expect(await codes(jobId)).toEqual([
    { code: 'invalid_choice', lines: 1 },
    { code: 'quarantined', lines: 1 },
  ]);
  expect([await staged('REHEARSE'), await staged('POISON'), await created('REHEARSE')]).toEqual([0, 0, 0]);
  expect(await rows('select from import_job_line where job_id = $1 and number is not null', [jobId])).toEqual([]);
  expect(await rows('select last_value from account_number_sequence')).toEqual(before);
  expect(
    await rows(
      `select workflow_id from work_item where kind in ('switch-supplier', 'create-account') and input ->> 'externalAccountNumber' like 'REHEARSE%'`,
    ),
  ).toEqual([]);
});

test('rehearses and then creates the staged accounts of a supplier without an upload', async () => {
  await service.database.pool.query(`insert into import_supplier (code, name) values ('BOREAL', 'Second supplier')`);
  const lines = accounts(300, 'LISTED').map((account) => ({ ...account, import_supplier: 'BOREAL' }));
  const ahead = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  Object.assign(lines[7]!, { last_billed_to_date: ahead });
  const stage = await putJob(service.database, { goal: 'STAGE', lines, importSupplier: 'BOREAL' });
  await startJob(service.gateway, stage, 'BOREAL');
  expect(await untilDone(stage)).toMatchObject({ succeeded: 300, warned: 1 });
  const warnings = (jobId: string) =>
    rows('select key, warnings from import_job_line where job_id = $1 and warnings is not null', [jobId]);
  const reported = await warnings(stage);
  expect(reported).toMatchObject([{ warnings: [{ code: 'billed_date_in_future' }] }]);

  for (const [goal, accountsAfter, warned] of [
    ['REHEARSE', 0, reported],
    ['CREATE', 300, []],
  ] as const) {
    const jobId = await putJob(service.database, { goal, selection: 'staged', importSupplier: 'BOREAL' });
    await startJob(service.gateway, jobId, 'BOREAL');
    const counts = { accepted: 300, judged: 300, succeeded: 300, failed: 0, warned: warned.length };
    expect(await untilDone(jobId)).toMatchObject(counts);
    expect(await warnings(jobId)).toEqual(warned);
    expect(await created('LISTED')).toBe(accountsAfter);
  }
});

test('creates a canary, waits to be resumed, and then processes the rest in the same way', async () => {
  const jobId = await start({
    goal: 'CREATE',
    lines: accounts(60, 'CANARY'),
    linesOfPage: 25,
    options: { canary: 30 },
  });
  expect(await untilPaused(jobId, 'canary')).toMatchObject({ judged: 30, succeeded: 30 });
  expect([await staged('CANARY'), await created('CANARY')]).toEqual([30, 30]);
  await change(jobId, `status = 'VALIDATING', paused_because = null, is_canary_passed = true`);
  expect(await untilDone(jobId)).toMatchObject({ judged: 60, succeeded: 60 });
  expect(await created('CANARY')).toBe(60);
});

test('stops a job when too many lines fail, and resumes when that is accepted', async () => {
  const bad = accounts(20, 'FAILING').map((account) => ({ ...account, account_type: 'CASTLE' }));
  const lines = [...bad, ...accounts(30, 'FAILING')];
  const jobId = await start({ goal: 'CREATE', lines, linesOfPage: 10, options: { stop_after_failures: { count: 5 } } });
  expect(await untilPaused(jobId, 'too_many_failures')).toMatchObject({ failed: 10, succeeded: 0 });
  await change(jobId, `status = 'VALIDATING', paused_because = null, failures_accepted = 1000`);
  expect(await untilDone(jobId)).toMatchObject({ failed: 20, succeeded: 30 });
});

test('reports a line whose account was staged with other data since, when it is created', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const [own, same, other, others] = accounts(4, 'ANEW');
  const warned = { ...others!, colour_of_door: 'blue' };
  // Stops between staging and creation: one fails.
  const bad = { ...accounts(1, 'ANEW')[0]!, account_type: 'CASTLE' };
  const jobId = await start({
    goal: 'CREATE',
    lines: [own!, same!, other!, warned, bad],
    options: { stop_after_failures: { count: 1 } },
  });
  expect(await untilPaused(jobId, 'too_many_failures')).toMatchObject({ staged: 4, failed: 1, warned: 1 });
  for (const body of [same!, { ...other!, sales_channel: 'PARTNER' }, { ...others!, sales_channel: 'PARTNER' }]) {
    const path = '/v1/data-import/account-import-process/create-or-update/';
    expect(await service.call('POST', path, { token, body })).toMatchObject({ status: 200 });
  }
  await change(jobId, `status = 'VALIDATING', paused_because = null, failures_accepted = 1000`);
  expect(await untilDone(jobId)).toMatchObject({ succeeded: 4, failed: 1, warned: 2 });
  const codesOf = await rows(
    `select l.line, array(select w ->> 'code' from jsonb_array_elements(l.warnings) w) as codes, a.sales_channel as channel
     from import_job_line l join account a on a.external_account_number = l.key where l.job_id = $1 order by l.line`,
    [jobId],
  );
  expect(codesOf.map(({ codes: found, channel }) => [...found, channel])).toEqual([
    ['DIRECT'],
    ['DIRECT'],
    ['other_data_staged', 'PARTNER'],
    ['unknown_member', 'other_data_staged', 'PARTNER'],
  ]);
  expect(
    await rows(`select code, place, records from import_job_cause where job_id = $1 and is_warning order by code`, [
      jobId,
    ]),
  ).toEqual([
    { code: 'other_data_staged', place: 'external_account_number', records: 2 },
    { code: 'unknown_member', place: 'colour_of_door', records: 1 },
  ]);
});

test('pauses a job while its import supplier is paused, and resumes automatically', async () => {
  await service.database.pool.query(`update import_supplier set status = 'Paused' where code = 'SUPPLIER_FR'`);
  const jobId = await start({ goal: 'CREATE', lines: accounts(5, 'RESTS') });
  await untilPaused(jobId, 'supplier_paused');
  await service.database.pool.query(`update import_supplier set status = 'Ongoing' where code = 'SUPPLIER_FR'`);
  await signalJob(service.gateway, jobId);
  await until(async () => {
    // The worker's list of suppliers may be a second old.
    await signalJob(service.gateway, jobId).catch(() => {});
    return (await created('RESTS')) === 5;
  }, 500);
  await untilDone(jobId);
});

test('stages no more in a job than the quota of its import supplier', async () => {
  const [known] = await rows(
    `select count(*)::integer as n from import_process where import_supplier = 'SUPPLIER_FR' and imported_at is null`,
  );
  const max = (known!['n'] as number) + 20;
  await service.database.pool.query(
    `update import_supplier set options = jsonb_build_object('staged_accounts_max', $1::integer), options_revision = options_revision + 1 where code = 'SUPPLIER_FR'`,
    [max],
  );
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const jobId = await start({ goal: 'STAGE', lines: accounts(50, 'QUOTA') });
  expect(await untilPaused(jobId, 'staged_accounts_max')).toMatchObject({ judged: 20, succeeded: 20 });
  // Creation frees quota: such a job resumes automatically.
  const creating = await start({ goal: 'CREATE', selection: 'staged' });
  await untilDone(creating);
  await signalJob(service.gateway, jobId);
  expect(await untilJob(service.database, jobId, ({ succeeded }) => succeeded >= 40)).toMatchObject({ failed: 0 });
  // Everything is deleted for the following tests, whether all lines fit or the job is paused again.
  await service.database.pool.query(
    `update import_supplier set options = '{}', options_revision = options_revision + 1 where code = 'SUPPLIER_FR'`,
  );
  await until(async () => {
    await signalJob(service.gateway, jobId).catch(() => {});
    return (await rows('select 1 from import_job where id = $1 and succeeded = 50', [jobId])).length > 0;
  }, 500);
  await untilDone(jobId);
}, 60_000);

test('quarantines an account alone that the database rejects, and completes its line once it is created', async () => {
  const lines = [...accounts(20, 'BESIDE'), ...accounts(2, 'POISON'), ...accounts(20, 'BESIDE')];
  const jobId = await start({ goal: 'CREATE', lines });
  expect(await untilDone(jobId)).toMatchObject({ succeeded: 40, failed: 2 });
  expect(await codes(jobId)).toEqual([{ code: 'quarantined', lines: 2 }]);
  expect(
    await rows(
      `select 1 from work_item where kind = 'create-account' and input ->> 'externalAccountNumber' like 'POISON%'`,
    ),
  ).toHaveLength(2);
  const cause = () => rows(`select records from import_job_cause where job_id = $1 and code = 'quarantined'`, [jobId]);
  expect(await cause()).toEqual([{ records: 2 }]);

  await service.database.pool.query('alter table account disable trigger refuse_poison');
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const [poison] = await rows(
    `select key from import_job_line where job_id = $1 and state = 'quarantined' order by line`,
    [jobId],
  );
  const answer = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: {
      import_supplier_code: 'SUPPLIER_FR',
      external_account_number: poison!['key'],
      operations_team_name: 'Migration',
    },
  });
  await service.database.pool.query('alter table account enable trigger refuse_poison');
  expect(answer.status).toBe(201);
  await maintainImportJobs(service.database, readSettings({}))();
  expect(await rows('select succeeded, failed from import_job where id = $1', [jobId])).toEqual([
    { succeeded: 41, failed: 1 },
  ]);
  expect(
    await rows('select state, number, errors from import_job_line where job_id = $1 and key = $2', [
      jobId,
      poison!['key'],
    ]),
  ).toEqual([{ state: 'succeeded', number: answer.body.service_account_number, errors: null }]);
  expect(await cause()).toEqual([{ records: 1 }]);
});

test('cancels a job when its run is cancelled, and keeps what was done', async () => {
  const jobId = await start({ goal: 'CREATE', lines: accounts(40, 'CUT'), options: { canary: 10 } });
  await untilPaused(jobId, 'canary');
  await service.gateway.client().workflow.getHandle(`import-job/${jobId}`).cancel();
  const job = await untilJob(service.database, jobId, ({ status }) => status === 'CANCELLED');
  expect(job).toMatchObject({ succeeded: 10, failed: 0, endedAt: expect.any(Date) });
  expect(await rows('select 1 from work_item where workflow_id = $1', [`import-job/${jobId}`])).toEqual([]);
  expect(await created('CUT')).toBe(10);
});

test('respects the speed of a job', async () => {
  const began = performance.now();
  await untilDone(await start({ goal: 'STAGE', lines: accounts(30, 'SLOW'), options: { max_per_second: 10 } }));
  // The last of three seconds' worth begins after two.
  expect(performance.now() - began).toBeGreaterThan(1_900);
});

test('lists a failing job under stuck with its failure, and resumes it automatically', async () => {
  await service.database.pool.query(`
    create function refuse_lines() returns trigger language plpgsql as $$ begin
      raise exception 'no room' using errcode = '53100';
    end $$`);
  await service.database.pool.query(
    'create trigger refuse_lines before insert on import_job_line for each row execute function refuse_lines()',
  );
  const jobId = await start({ goal: 'STAGE', lines: accounts(5, 'HELD') });
  let stuck: Record<string, any>[] = [];
  await until(async () => {
    const { body } = await service.call('GET', '/v1/operations/stuck/', { token: service.operatorToken });
    stuck = body.stuck.filter(({ job_id: job }: { job_id: string | null }) => job === jobId);
    // On a busy machine the job is listed before it has failed: its first task waits for the worker.
    return stuck.length > 0 && stuck[0]!['cause'] !== 'no_worker';
  }, 500);
  expect(stuck).toMatchObject([
    { job_id: jobId, workflow_id: `import-job/${jobId}`, cause: 'database_unavailable', accounts: [] },
  ]);
  await service.database.pool.query('drop trigger refuse_lines on import_job_line');
  expect(await untilDone(jobId)).toMatchObject({ succeeded: 5 });
}, 60_000);

test('deletes jobs long after their end, keeps their counts, and expires open jobs', async () => {
  const keep = maintainImportJobs(service.database, readSettings({}));
  const lines = accounts(5, 'OLD').map((account, index) => ({ ...account, [`jane_doe_${index}`]: 1 }));
  const jobId = await start({ goal: 'STAGE', lines });
  await untilDone(jobId);
  const causes = () =>
    rows(`select place, records from import_job_cause where job_id = $1 and code = 'unknown_member'`, [jobId]);
  expect(await causes()).toHaveLength(5);
  const left = async () => [
    (await rows('select 1 from import_job_page where job_id = $1', [jobId])).length,
    (await rows('select 1 from import_job_part where job_id = $1', [jobId])).length,
    (await rows('select 1 from import_job_line where job_id = $1', [jobId])).length,
  ];
  await keep();
  expect(await left()).toEqual([1, 1, 5]);
  await service.database.pool.query(`update import_job set ended_at = now() - interval '8 days' where id = $1`, [
    jobId,
  ]);
  await keep();
  expect(await left()).toEqual([0, 0, 5]);
  await service.database.pool.query(`update import_job set ended_at = now() - interval '31 days' where id = $1`, [
    jobId,
  ]);
  await keep();
  expect(await left()).toEqual([0, 0, 0]);
  expect(await causes()).toEqual([{ place: '*', records: 5 }]);

  const open = await putJob(service.database, { goal: 'STAGE', lines: accounts(1, 'OLD') });
  await service.database.pool.query(
    `update import_job set status = 'OPEN', created_at = now() - interval '8 days' where id = $1`,
    [open],
  );
  await keep();
  expect(
    await rows('select status, succeeded from import_job where id = any($1) order by status', [[jobId, open]]),
  ).toEqual([
    { status: 'COMPLETED', succeeded: 5 },
    { status: 'EXPIRED', succeeded: 0 },
  ]);
});

test('a paused job expires after 30 days', async () => {
  const paused = async (days: number) => {
    const jobId = await putJob(service.database, { goal: 'STAGE', lines: accounts(1, 'LONG') });
    await service.database.pool.query(
      `update import_job set status = 'PAUSED', paused_because = 'canary', paused_at = now() - make_interval(days => $2) where id = $1`,
      [jobId, days],
    );
    return jobId;
  };
  const statuses = (jobs: string[]) =>
    rows('select status from import_job where id = any($1) order by paused_at nulls first', [jobs]);
  const jobs = [await paused(31), await paused(29)];
  await maintainImportJobs(service.database, readSettings({}))();
  expect(await statuses(jobs)).toEqual([{ status: 'EXPIRED' }, { status: 'PAUSED' }]);
});
