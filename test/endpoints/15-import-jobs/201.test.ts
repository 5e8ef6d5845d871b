import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const open = (body: object) => service.call('POST', IMPORT_JOBS, { token, body });
const see = async (jobId: string) => (await service.call('GET', `${IMPORT_JOBS}${jobId}/`, { token })).body;

test('opens a job with everything that was sent and no progress', async () => {
  const options = {
    canary: 100,
    stop_after_failures: { count: 50, percent: 2.5 },
    window: { from: '22:00', to: '05:30' },
    max_per_second: 200,
  };
  const { status, body } = await open({
    import_supplier: 'SUPPLIER_FR',
    kind: 'accounts',
    goal: 'CREATE',
    name: 'Night of the move',
    operations_team_name: 'Migration',
    options,
  });
  expect([status, body.status]).toEqual([201, 'OPEN']);
  expect(await see(body.job_id)).toEqual({
    job_id: body.job_id,
    import_supplier: 'SUPPLIER_FR',
    kind: 'accounts',
    goal: 'CREATE',
    name: 'Night of the move',
    operations_team_name: 'Migration',
    selection: 'uploaded',
    wave_id: null,
    options,
    status: 'OPEN',
    paused_because: null,
    counts: { accepted: 0, succeeded: 0, failed: 0, unprocessed: 0 },
    steps: { judged: 0, staged: 0, created: 0 },
    warnings: 0,
    lines_per_second: 0,
    estimated_end_at: null,
    causes: [],
    parts: [],
    manifest: null,
    workflow_id: `import-job/${body.job_id}`,
    created_at: expect.any(String),
    started_at: null,
    ended_at: null,
  });
});

test.each([
  ['accounts', 'VALIDATE', {}],
  ['accounts', 'STAGE', {}],
  ['accounts', 'REHEARSE', { operations_team_name: 'Migration' }],
  ['accounts', 'CREATE', { operations_team_name: 'Migration', selection: 'staged' }],
  ['businesses', 'IMPORT', {}],
  ['business-contracts', 'VALIDATE', {}],
  ['notes', 'IMPORT', { selection: '' }],
  ['transactions', 'VALIDATE', {}],
  ['statements', 'IMPORT', { name: '', operations_team_name: '' }],
  ['payment-instructions', 'IMPORT', {}],
])('opens a job of %s with the goal %s', async (kind, goal, more) => {
  const { status, body } = await open({ import_supplier: 'SUPPLIER_FR', kind, goal, ...more });
  expect(status).toBe(201);
  expect(await see(body.job_id)).toMatchObject({ kind, goal });
});

test('audits the key that opened a job', async () => {
  const { body } = await open({ import_supplier: 'SUPPLIER_FR', kind: 'notes', goal: 'IMPORT' });
  const { rows } = await service.database.pool.query(`select action, after from audit_entry where subject = $1`, [
    `import-jobs/${body.job_id}`,
  ]);
  expect(rows).toEqual([
    { action: 'import_job.opened', after: { import_supplier: 'SUPPLIER_FR', kind: 'notes', goal: 'IMPORT' } },
  ]);
});
