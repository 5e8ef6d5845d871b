// Records a history of each branch of the workflows, on a separate Temporal server:
//   node test/replay/record-histories.ts
// Run it after a change of a workflow (behind `patched`), or for a new branch. It adds missing histories and keeps existing ones,
// because runs of earlier versions may still be open.
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import type {
  VerificationAnswer,
  VerificationInput,
  VerificationOutcome,
} from '../../src/payment-instructions/payment-instruction.rules.ts';
import type { RetentionProgress } from '../../src/personal-data/expire/retention.rules.ts';
import { startEmbeddedTemporal } from '../../src/local-stack/embedded-temporal.ts';
import { reservePort } from '../support/test-port.ts';
import { findTemporalCli } from '../../src/local-stack/temporal-cli.ts';
import { bundleWorkflows } from '../../src/platform/temporal/run-worker.ts';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { entriesOf, startFakes, type FakeActivities, type Fakes } from '../workflows/fakes.ts';
import { deliveryBranches } from './delivery-branches.ts';
import { jobBranches } from './job-branches.ts';
import { lookupBranches } from './lookup-branches.ts';
import { retentionBranches } from './retention-branches.ts';
import { failed } from './stand-in-failure.ts';
import { reconciliationBranches } from './reconciliation-branches.ts';
import { shortBudget, startDeliveryFakes } from '../workflows/delivery-fakes.ts';
import { startReconciliationFakes } from '../workflows/reconciliation-fakes.ts';
import { waveBranches } from './wave-branches.ts';
import { startWaveFakes } from '../workflows/wave-fakes.ts';
import { bulkActionBranches } from './bulk-action-branches.ts';
import { startBulkActionFakes } from '../workflows/bulk-action-fakes.ts';
import { withdrawalBranches } from './withdrawal-branches.ts';
import { startWithdrawalFakes } from '../workflows/withdrawal-fakes.ts';
import { switchBranches } from './switch-branches.ts';
import { startJobFakes } from '../workflows/job-fakes.ts';
import { until } from '../support/until.ts';
import { startSwitchFakes } from '../workflows/switch-fakes.ts';
import { startLookupFakes } from '../workflows/lookup-fakes.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';

const created = (entry: CreationEntry): CreationOutcome => ({
  kind: 'created',
  serviceAccountNumber: `A-${entry.externalAccountNumber}`,
});
const quarantined: CreationOutcome = { kind: 'quarantined' };
const tooLong = () =>
  Object.assign(
    ApplicationFailure.create({
      type: 'database_timed_out',
      message: 'stand-in of database_timed_out',
      nonRetryable: true,
    }),
    { stack: '' },
  );
const [poison] = entriesOf(1, () => 'POISON') as [CreationEntry];

/** The time until which the database of a branch is unavailable. */
let awayUntil = 0;

/** A branch: its activities, and the run. */
interface Branch {
  activities: FakeActivities;
  run(fakes: Fakes): Promise<WorkflowHandle>;
}

const verification: VerificationInput = {
  verificationId: '01990000-0000-7000-8000-000000000001',
  importSupplier: 'ACME',
  externalAccountNumber: 'E-1',
  vendor: 'GOCARDLESS',
  budgetMs: 60_000,
};
const settled = async ({ answer }: { answer: VerificationAnswer }): Promise<VerificationOutcome> =>
  answer.kind === 'usable' ? { kind: 'verified' } : { kind: 'rejected', reason: 'not_found' };
const verify =
  (budgetMs: number): Branch['run'] =>
  (fakes) =>
    fakes.startVerification({ ...verification, budgetMs });

const batch =
  (count: number): Branch['run'] =>
  (fakes) =>
    fakes.startBatch(entriesOf(count, (index) => `E-${index}`));
const databaseAway: FakeActivities = {
  createFromStaged: async (entries) => {
    if (activityInfo().isLocal || activityInfo().attempt < 3) throw failed('database_unavailable');
    return entries.map(created);
  },
};
const tookTooLong: FakeActivities = {
  createFromStaged: async () => {
    throw tooLong();
  },
  createPart: async (entries) => {
    if (entries.length > 1) throw tooLong();
    return entries.map(created);
  },
  createWithMoreTime: async (entry) => (entry.externalAccountNumber === 'LONG-1' ? quarantined : created(entry)),
  createAlone: async (entry) => created(entry),
};
const branches: Record<string, Branch> = {
  'create-accounts.created': {
    activities: { createFromStaged: async (entries) => entries.map(created) },
    run: batch(3),
  },
  'create-accounts.empty': { activities: {}, run: batch(0) },
  'create-accounts.database-away': { activities: databaseAway, run: batch(6) },
  'create-accounts.quarantined': {
    activities: {
      createFromStaged: async ([first]) => [created(first as CreationEntry), quarantined],
      createAlone: async (entry) => created(entry),
    },
    run: batch(2),
  },
  'create-accounts.quarantined-after-outage': {
    activities: {
      createFromStaged: async (entries) => {
        if (activityInfo().isLocal) throw failed('database_unavailable');
        return entries.map(() => quarantined);
      },
      createAlone: async (entry) => created(entry),
    },
    run: (fakes) => fakes.startBatch(entriesOf(2, (index) => `AFTER-${index}`)),
  },
  'create-accounts.joined': {
    activities: {
      createFromStaged: async () => [quarantined],
      createAlone: async () => {
        throw failed('database_refuses_data');
      },
    },
    run: async (fakes) => {
      await fakes.startSingle(poison);
      return fakes.startBatch([poison]);
    },
  },
  'create-accounts.took-too-long': {
    activities: tookTooLong,
    run: (fakes) => fakes.startBatch(entriesOf(5, (index) => `LONG-${index}`)),
  },
  'create-accounts.found.database-away': { activities: databaseAway, run: batch(6) },
  'create-accounts.found.took-too-long': {
    activities: tookTooLong,
    run: (fakes) => fakes.startBatch(entriesOf(5, (index) => `LONG-${index}`)),
  },
  'verify-payment-instruction.verified': {
    activities: { askPaymentVendor: async () => ({ kind: 'usable' }), completePaymentVerification: settled },
    run: verify(60_000),
  },
  'verify-payment-instruction.refused': {
    activities: {
      askPaymentVendor: async () => ({ kind: 'refused', reason: 'not_found' }),
      completePaymentVerification: settled,
    },
    run: verify(60_000),
  },
  'verify-payment-instruction.written-late': {
    activities: {
      askPaymentVendor: async () => ({ kind: 'usable' }),
      completePaymentVerification: async (given) => {
        if (activityInfo().isLocal || activityInfo().attempt < 2) throw failed('database_unavailable');
        return settled(given);
      },
    },
    run: verify(60_000),
  },
  'verify-payment-instruction.retried': {
    activities: {
      askPaymentVendor: async () => {
        if (activityInfo().attempt < 3) throw failed('vendor_unavailable');
        return { kind: 'usable' };
      },
      completePaymentVerification: settled,
    },
    run: verify(60_000),
  },
  'verify-payment-instruction.budget-spent': {
    activities: {
      askPaymentVendor: async () => {
        throw failed('vendor_unavailable');
      },
      completePaymentVerification: async () => ({ kind: 'unreachable', reason: 'vendor_unavailable' }),
    },
    run: verify(1_500),
  },
  'verify-payment-instruction.database-away-for-a-budget': {
    activities: {
      askPaymentVendor: async () => {
        if (Date.now() < awayUntil) throw failed('database_unavailable');
        return { kind: 'usable' };
      },
      completePaymentVerification: settled,
    },
    run: async (fakes) => {
      awayUntil = Date.now() + 3_000;
      return verify(1_500)(fakes);
    },
  },
  'create-account.created': {
    activities: { createAlone: async (entry) => created(entry) },
    run: (fakes) => fakes.startSingle(entriesOf(1, () => 'ALONE')[0] as CreationEntry),
  },
  'create-account.mended': {
    activities: {
      createAlone: async (entry) => {
        if (activityInfo().attempt < 3) throw failed('database_refuses_data');
        return created(entry);
      },
    },
    run: (fakes) => fakes.startSingle(entriesOf(1, () => 'MENDED')[0] as CreationEntry),
  },
};

const noRetention = {
  deleteExpired: async (): Promise<RetentionProgress> => retentionBranches['retention.completed']!.rounds.at(-1)!,
  endRetention: async () => {},
};

/** Written as one line, so that a diff shows it as one. */
const compact = (history: Parameters<typeof historyToJSON>[0]) =>
  `${JSON.stringify(JSON.parse(historyToJSON(history)))}\n`;

const folder = await mkdtemp(join(tmpdir(), 'gangway-record-'));
const cliPath = await findTemporalCli({
  settings: readSettings(),
  environment: process.env,
  onProgress: (sentence) => {
    process.stderr.write(`${sentence}\n`);
  },
});
// Like the test runner.
const bundle = join(folder, 'workflow-bundle.js');
await writeFile(bundle, (await bundleWorkflows()).code);
process.env['TEST_WORKFLOW_BUNDLE'] = bundle;
const log = createLog({ level: 'silent', process: 'record' });
const temporal = await startEmbeddedTemporal({
  cliPath,
  dataDir: folder,
  port: await reservePort(),
  uiPort: await reservePort(),
  namespace: 'default',
  log,
});
for (const [name, { activities, run }] of Object.entries(branches)) {
  const path = join(import.meta.dirname, 'histories', `${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  const fakes = await startFakes(temporal.address, activities);
  const handle = await run(fakes);
  await handle.result();
  await writeFile(path, compact(await handle.fetchHistory()));
  await fakes.stop();
  process.stdout.write(`recorded ${name}\n`);
}
for (const [name, { activities, run, staysOpen }] of Object.entries(switchBranches)) {
  const path = join(import.meta.dirname, 'histories', `${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  const fakes = await startSwitchFakes(temporal.address, activities());
  const handle = await run(fakes);
  if (!staysOpen) await handle.result();
  await writeFile(path, compact(await handle.fetchHistory()));
  await fakes.stop();
  process.stdout.write(`recorded ${name}\n`);
}
for (const [name, { activities, run }] of Object.entries(lookupBranches)) {
  const path = join(import.meta.dirname, 'histories', `${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  const fakes = await startLookupFakes(temporal.address, activities);
  const handle = await run(fakes);
  await handle.result();
  await writeFile(path, compact(await handle.fetchHistory()));
  await fakes.stop();
  process.stdout.write(`recorded ${name}\n`);
}
for (const [name, { rounds, meddle }] of Object.entries(jobBranches)) {
  const path = join(import.meta.dirname, 'histories', `${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  let worked = 0;
  const fakes = await startJobFakes(temporal.address, {
    workOffImportJob: async () => rounds[worked++]!,
    cancelImportJob: async () => {},
  });
  const handle = await fakes.start();
  if (meddle) {
    // The run then sleeps.
    await until(async () =>
      ((await handle.fetchHistory()).events ?? []).some((event) => event.timerStartedEventAttributes),
    );
    await meddle(handle);
  }
  await keep(path, handle, fakes);
}
/** Waits for the end of a run and stores its history. */
async function keep(path: string, handle: WorkflowHandle, fakes: { stop(): Promise<void> }): Promise<void> {
  await handle.result().catch(() => {});
  await writeFile(path, compact(await handle.fetchHistory()));
  await fakes.stop();
  process.stdout.write(`recorded ${path}\n`);
}

for (const [name, { rounds, meddle }] of Object.entries(reconciliationBranches)) {
  const path = join(import.meta.dirname, `histories/${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  let round = 0;
  const fakes = await startReconciliationFakes(temporal.address, {
    reconcileAccounts: async () => rounds[Math.min((round += 1), rounds.length) - 1]!,
    cancelReconciliation: async () => {},
    ...noRetention,
  });
  const handle = await fakes.start();
  if (meddle) {
    await until(() => round > 0);
    await meddle(handle);
  }
  await keep(path, handle, fakes);
}
for (const [name, { rounds, meddle }] of Object.entries(waveBranches)) {
  const path = join(import.meta.dirname, `histories/${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  let round = 0;
  const fakes = await startWaveFakes(temporal.address, {
    advanceWave: async () => rounds[Math.min((round += 1), rounds.length) - 1]!,
    steerWave: async () => {},
    cancelWave: async () => {},
  });
  const handle = await fakes.start();
  if (meddle) {
    await until(() => round > 0);
    await meddle(handle);
  }
  await keep(path, handle, fakes);
}
for (const [name, { rounds, meddle }] of Object.entries(withdrawalBranches)) {
  const path = join(import.meta.dirname, `histories/${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  let round = 0;
  const fakes = await startWithdrawalFakes(temporal.address, {
    withdrawAccounts: async () => rounds[Math.min((round += 1), rounds.length) - 1]!,
    cancelWithdrawal: async () => {},
  });
  const handle = await fakes.start();
  if (meddle) {
    await until(() => round > 0);
    await meddle(handle);
  }
  await keep(path, handle, fakes);
}
for (const [name, { rounds, meddle }] of Object.entries(bulkActionBranches)) {
  const path = join(import.meta.dirname, `histories/${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  let round = 0;
  const fakes = await startBulkActionFakes(temporal.address, {
    workBulkAction: async () => rounds[Math.min((round += 1), rounds.length) - 1]!,
    cancelBulkAction: async () => {},
  });
  const handle = await fakes.start();
  if (meddle) {
    await until(() => round > 0);
    await meddle(handle);
  }
  await keep(path, handle, fakes);
}
for (const [name, { rounds, meddle }] of Object.entries(retentionBranches)) {
  const path = join(import.meta.dirname, `histories/${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  let round = 0;
  const fakes = await startReconciliationFakes(temporal.address, {
    reconcileAccounts: async () => null,
    cancelReconciliation: async () => {},
    deleteExpired: async () => rounds[Math.min((round += 1), rounds.length) - 1]!,
    endRetention: async () => {},
  });
  const handle = await fakes.startRetention();
  if (meddle) {
    await until(() => round > 0);
    await meddle(handle);
  }
  await keep(path, handle, fakes);
}
for (const [name, deliver] of Object.entries(deliveryBranches)) {
  const path = join(import.meta.dirname, `histories/${name}.json`);
  if (await stat(path).catch(() => undefined)) continue;
  let attempt = 0;
  const fakes = await startDeliveryFakes(temporal.address, {
    deliverSomeEvents: async () => deliver((attempt += 1)),
    noteReceiverUnreachable: async () => {},
  });
  const handle = await fakes.start(shortBudget);
  await keep(path, handle, fakes);
}
await temporal.stop();
await removeDataFolder(folder);
