import { afterAll, expect, test } from '@jest/globals';
import { workflowIds } from '../../../temporal.config.ts';
import { addAccounts } from '../../support/attachments.ts';
import { jobClient, someLines } from '../../support/import-jobs.ts';
import { openOperatorShell } from '../../support/operator-shell.ts';
import { points, startPopulation } from '../../support/population.ts';
import { message, switchTestOf } from '../../support/switching.ts';
import { until } from '../../support/until.ts';

// Paused network operators, so that batches stay open; and no dispatcher that repairs before the check does.
const service = await startPopulation({ perSecond: 0, settings: { DISPATCH_EVERY_MS: '600000' } });
afterAll(() => service.stop());
const switching = await switchTestOf(service);

const query = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);
const operate = (method: string, path: string, body?: unknown) => switching.operate(method, path, body);
const client = () => service.gateway.client();
const isOpen = async (workflowId: string) =>
  (await client().workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
const end = (workflowId: string) => client().workflow.getHandle(workflowId).terminate('by the test');
const forget = (workflowId: string) => query('delete from work_item where workflow_id = $1', [workflowId]);

/** All pages of a check, and the kind and subject of each finding. */
async function check(isMending = false): Promise<{ found: string[][]; mismatches: any[] }> {
  const mismatches: any[] = [];
  let cursor: string | null = null;
  do {
    const { status, body }: { status: number; body: any } = isMending
      ? await operate('POST', 'checks/mend/', cursor === null ? {} : { cursor })
      : await operate('GET', `checks/${cursor === null ? '' : `?cursor=${cursor}`}`);
    expect(status).toBe(200);
    mismatches.push(...body.mismatches);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return { mismatches, found: mismatches.map(({ kind, subject }) => [kind, subject]).sort() };
}

/** A switch that waits for messages; resolves to the id of its work item. */
async function switchUnderWay(external: string, point: string): Promise<string> {
  const id = workflowIds.switchSupplier(await switching.create(external, [point]));
  await switching.send(message(external, 'ACCEPTED'));
  await switching.become(external, 'IN_PROGRESS');
  return id;
}

/** A switch that failed in pages; resolves to the id of its run, which cannot request it, because there is no address. */
async function switchAlone(external: string, point: string): Promise<string> {
  const id = workflowIds.switchSupplier(await switching.create(external, [point]));
  await query('update work_item set runs_alone = true, start_at = now() where workflow_id = $1', [id]);
  await switching.dispatch();
  await until(async () => (await isOpen(id)) && (await switching.openRuns()).includes(id));
  return id;
}

/** A paused job; resolves to the id of its run. */
async function pausedJob(): Promise<string> {
  const jobs = await jobClient(service);
  const jobId = await jobs.open();
  await operate('POST', `import-jobs/${jobId}/pause/`);
  await jobs.put(jobId, 1, someLines(1));
  await jobs.post(jobId, 'start');
  return workflowIds.importJob(jobId);
}

/** Work items as old as after an outage, before the dispatcher's next round. */
const ageWork = () =>
  query(`update work_item set created_at = now() - interval '1 hour', start_at = now() + interval '1 hour'`);

type Runs = Record<'batch' | 'lostBatch' | 'lookups' | 'switch' | 'lostSwitch' | 'switchWithoutWork', string>;

/** A mismatch of each kind. */
async function breakAll(runs: Runs): Promise<void> {
  // Open in the database, without a run.
  for (const id of [runs.batch, runs.lookups, runs.switch]) await forget(id);
  await end(runs.batch);
  // Temporal has lost them.
  for (const id of [runs.lostBatch, runs.lostSwitch]) await end(id);
  // The database is newer than Temporal.
  await forget(runs.switchWithoutWork);
  // The partition of the last month was not made in time.
  await query(
    `insert into event (import_supplier, position, id, type, subject, data, occurred_at)
     select 'SUPPLIER_FR', first_key_of_month('bigint', date_trunc('month', now()::timestamp) - interval '1 month')::bigint, gen_random_uuid(), 't', 's', '{}', now()`,
  );
  // Findings that need a decision.
  await switching.send(message('CHECK-NOBODY', 'ACCEPTED', { message_id: 'CHECK-M1' }));
  await addAccounts(service, ['CHECK-Q']);
  await query(
    `update import_process set imported_at = null, workflow_id = 'create-account/SUPPLIER_FR/CHECK-Q', refusal = jsonb_build_object('code', 'creation_failed', 'at', now()) where external_account_number = 'CHECK-Q'`,
  );
}

test('finds nothing in a consistent state; otherwise finds, repairs and audits each mismatch, and leaves decisions to people', async () => {
  const runs = {
    batch: workflowIds.populateSupplyPoints(await service.populate(points(2))),
    lostBatch: workflowIds.populateSupplyPoints(await service.populate(points(2, 26_000_000_000_000))),
    lookups: workflowIds.lookUpSupplyPoints('enedis'),
    switch: await switchUnderWay('CHECK-A', '24500000000001'),
    lostSwitch: await switchAlone("CHECK-B'", '24500000000002'),
    switchWithoutWork: await switchAlone('CHECK-C', '24500000000003'),
  };
  // A switch that waits for its day has no run, and none is missing.
  await switching.create('CHECK-D', [['24500000000004', '2099-01-01']]);
  // On a busy machine the API may have left a start to the dispatcher.
  await query(`update work_item set start_at = now() where kind <> 'switch-supplier'`);
  await switching.dispatch();
  await ageWork();
  expect(await check()).toEqual({ found: [], mismatches: [] });

  await breakAll(runs);
  const decided = [
    ['account_quarantined', 'create-account/SUPPLIER_FR/CHECK-Q'],
    ['message_without_account', 'CHECK-M1'],
  ];
  const repairable = [
    ['open_without_work_item', runs.batch],
    ['open_without_work_item', runs.lookups],
    ['open_without_work_item', runs.switch],
    ['rows_without_partition', 'event'],
    ['run_without_work_item', runs.switchWithoutWork],
    ['work_item_without_run', runs.lostBatch],
    ['work_item_without_run', runs.lostSwitch],
  ];
  // A run without a stored work item is not superfluous: it is reported once, and repaired by storing the item.
  const twice = [['run_without_work_item', runs.lookups]];
  const all = [...decided, ...repairable, ...twice].sort();
  let found: string[][] = [];
  // A run that makes progress during the check is not reported by it.
  await until(async () => {
    ({ found } = await check());
    return found.length >= all.length;
  });
  expect(found).toEqual(all);

  const repaired = await check(true);
  expect(repaired.found).toEqual([...decided, ...repairable].sort());
  expect(repaired.mismatches.filter(({ outcome }) => outcome === 'mended')).toHaveLength(repairable.length);
  for (const id of [runs.batch, runs.lookups, runs.lostBatch, runs.lostSwitch]) {
    expect(await isOpen(id)).toBe(true);
  }
  expect((await query('select 1 from work_item where workflow_id = $1', [runs.switch])).rows).toHaveLength(1);
  expect(await isOpen(runs.switchWithoutWork)).toBe(false);
  await ageWork();
  expect((await check()).found).toEqual(decided);

  const { body: audit } = await operate('GET', 'audit/?action=check.mended');
  expect(audit.map((row: any) => [row.subject.slice('checks/'.length), row.after.subject]).sort()).toEqual(
    repairable.sort(),
  );
  expect(audit[0].actor.name).toContain('key of a test');
}, 180_000);

test('completes jobs, reconciliations and verifications that lost their work item', async () => {
  const job = await pausedJob();
  await addAccounts(service, ['CHECK-V']);
  const started = await operate('POST', 'reconciliations/', { import_supplier: 'SUPPLIER_FR' });
  const reconciliation = workflowIds.reconcile(started.body.reconciliation_id);
  await until(async () => !(await isOpen(reconciliation)));
  await query(`update reconciliation set status = 'RUNNING', ended_at = null where id = $1`, [
    started.body.reconciliation_id,
  ]);
  await query(
    `insert into payment_verification (id, account_id, workflow_id, vendor, type, reference)
     select gen_random_uuid(), id, 'verify-instruction/CHECK-V', 'STRIPE', 'CARD', 'pm_1' from account where external_account_number = 'CHECK-V'`,
  );
  await query(`update import_job set status = 'RUNNING', ended_at = null`);
  await forget(job);
  const open = (await check(true)).mismatches.filter(({ kind }) => kind === 'open_without_work_item');
  expect(open.map(({ subject }) => subject).sort()).toEqual([job, reconciliation, 'verify-instruction/CHECK-V'].sort());
  await until(async () => {
    const { rows } = await query('select status from import_job union all select status from reconciliation');
    return rows.every(({ status }) => status === 'COMPLETED');
  });
  expect(await isOpen('verify-instruction/CHECK-V')).toBe(true);
}, 120_000);

test('finds more than a page once; the command exits with 1 while it can correct something, with 5 while only decisions are left', async () => {
  await service.stopWorker();
  await query(
    `insert into work_item (workflow_id, kind, input, start_at, created_at)
     select 'create-account/SUPPLIER_FR/PAGE-' || n, 'create-account', jsonb_build_object('importSupplier', 'SUPPLIER_FR', 'externalAccountNumber', 'PAGE-' || n),
       now() + interval '1 hour', now() - interval '1 hour' from generate_series(1, 60) n`,
  );
  await query(
    `insert into creation_slot (creation_id, workflow_id, taken_at) values (gen_random_uuid(), 'create-accounts/none', now() - interval '1 hour')`,
  );
  const shell = await openOperatorShell(service);
  try {
    const looked = await shell.run('check', '--json');
    expect(looked).toMatchObject({ status: 1, stderr: '' });
    const counts = (found: any[]) => found.map(({ kind, count, mended }) => [kind, count, mended]);
    expect(counts(JSON.parse(looked.stdout).found)).toEqual([
      ['work_item_without_run', 60, 0],
      ['slot_without_holder', 1, 0],
      ['account_quarantined', 1, 0],
      ['message_without_account', 1, 0],
    ]);
    const repaired = await shell.run('check', '--mend', '--json');
    expect(counts(JSON.parse(repaired.stdout).found).slice(0, 2)).toEqual([
      ['work_item_without_run', 60, 60],
      ['slot_without_holder', 1, 1],
    ]);
    expect(repaired.status).toBe(5);
    expect(await shell.run('check')).toMatchObject({ status: 5, stderr: '' });
    await operate('DELETE', 'market-messages/CHECK-M1/', { reason: 'of the test' });
    await query(`update import_process set workflow_id = null`);
    const reported = await shell.run('check');
    expect(reported).toMatchObject({ status: 0, stderr: '' });
    expect(reported.stdout).toContain('Postgres and Temporal agree.');
  } finally {
    shell.remove();
  }
}, 120_000);
