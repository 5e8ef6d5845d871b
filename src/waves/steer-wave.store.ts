import type { EntityManager } from '@mikro-orm/postgresql';
import { type Actor, nameOfActor, recordAudit } from '../access/index.ts';
import { releaseMembers } from '../account-import/index.ts';
import {
  cancelJobOfWave,
  findJobsAtWork,
  findJobState,
  findMeasuredRate,
  pauseJobOfWave,
  resumeJobOfWave,
  startJobOfWave,
  type ImportJobColumns,
} from '../import-jobs/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Reply } from '../platform/http/route.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import type { GateName } from '../vocabulary/waves.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import {
  type ApprovedContent,
  contentOf,
  decideApproval,
  insertApproval,
  isOfPresent,
  isRequester,
  markApproved,
} from './approval.store.ts';
import { firstOpen, gatesOf } from './gate.rules.ts';
import { exactCounts, findApproval, readFacts } from './wave-facts.store.ts';
import type { ApprovalRecord, WaveRecord } from './wave.entity.ts';
import { gateNotPassed, planTooShort, statusForbids } from './wave.rules.ts';
import { neededGates } from './wave-steps.rules.ts';
import { changeWave, countWave, findWaveOfRequest, lockWave, waveWorkItem, type WaveViewer } from './wave.store.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';

export interface SteerDeps {
  database: Database;
  runs: WorkRuns;
}

/** A request to change a wave, by the API or by a form of the support site. */
export interface WaveOrder {
  params: Readonly<Record<string, string>>;
  caller: Actor;
  reason: string | undefined;
}

/** Changes a locked wave. @returns the changed wave, or a refusal */
type Change = (em: EntityManager, wave: WaveRecord, order: WaveOrder) => Promise<WaveRecord | Refused>;

/** Changes of a wave by people, with their action in the audit. */
const changes = {
  rehearse: { action: 'wave.rehearsed', change: rehearse },
  create: { action: 'wave.creation_requested', change: create },
  pause: { action: 'wave.paused', change: pauseWave },
  resume: { action: 'wave.resumed', change: resumeWave },
  cancel: { action: 'wave.cancelled', change: cancelWave },
  'sign-off': { action: 'wave.signed_off', change: signOff },
  'request-approval': { action: 'wave.approval_requested', change: requestApproval },
  'request-withdrawal-approval': { action: 'wave.withdrawal_approval_requested', change: requestWithdrawalApproval },
  approve: { action: 'wave.approved', change: (em, wave, order) => decide(em, wave, order, 'approved') },
  decline: { action: 'wave.declined', change: (em, wave, order) => decide(em, wave, order, 'declined') },
} as const satisfies Record<string, { action: string; change: Change }>;
export type WaveVerb = keyof typeof changes;

/** Changes the wave in a path, records it in the audit, and wakes its run. @param viewer undefined for operators */
export async function steerWave(
  { database, runs }: SteerDeps,
  verb: WaveVerb,
  order: WaveOrder,
  viewer: WaveViewer | undefined,
): Promise<Reply | Refused> {
  const found = await findWaveOfRequest(database, order, viewer);
  if (isRefused(found)) return found;
  const { action, change } = changes[verb];
  const changed = await database.transaction(async (em) => {
    const wave = (await lockWave(em, found.id, viewer))!;
    const after = await change(em, wave, order);
    if (isRefused(after)) return after;
    await recordAudit(em, order.caller, {
      action,
      subject: `waves/${wave.id}`,
      before: { status: wave.status, paused_because: wave.pausedBecause },
      after: { status: after.status, paused_because: after.pausedBecause, at: new Date().toISOString() },
      reason: order.reason,
    });
    // A wave that has ended has no run.
    if (after.endedAt === null && after.status !== 'CANCELLED' && after.status !== 'SIGNED_OFF') {
      await signalWork(em, [waveWorkItem(after)]);
    }
    return after;
  });
  if (isRefused(changed)) return changed;
  const jobs = [changed.rehearsalJobId, changed.creationJobId].flatMap((id) => id ?? []);
  void runs.start([waveWorkItem(changed), ...(await findJobsAtWork(database, jobs))]);
  const { id, status, pausedBecause } = changed;
  return { status: 200, body: { wave_id: id, status, paused_because: pausedBecause } };
}

async function openGate(em: EntityManager, wave: WaveRecord, names: readonly GateName[]): Promise<Refused | undefined> {
  const facts = await readFacts(em, wave, exactCounts);
  const open = firstOpen(gatesOf(facts), names);
  return open && gateNotPassed(open);
}

/** Opens and starts a rehearsal of all members. */
async function rehearse(em: EntityManager, wave: WaveRecord, { caller }: WaveOrder): Promise<WaveRecord | Refused> {
  // After the creation: accounts that it rejected and that were staged again.
  if (wave.status !== 'PREPARING' && wave.status !== 'CREATED') return statusForbids(wave.status, 'be rehearsed');
  const running = wave.rehearsalJobId === null ? undefined : await findJobState(em, wave.rehearsalJobId);
  if (running?.hasEnded === false) return wave;
  const refused = await openGate(em, wave, neededGates.rehearse);
  if (refused) return refused;
  const jobId = await startJobOfWave(em, { ...wave, apiKeyId: caller.keyId ?? wave.apiKeyId }, 'REHEARSE', {});
  return isRefused(jobId) ? jobId : changeWave(em, wave, { rehearsalJobId: jobId });
}

/** Requests the creation; the run of the wave starts it when its plan begins. */
async function create(em: EntityManager, wave: WaveRecord, { caller }: WaveOrder): Promise<WaveRecord | Refused> {
  if (wave.status === 'SCHEDULED' || wave.status === 'CREATING') return wave;
  if (wave.status !== 'PREPARING' && wave.status !== 'CREATED') return statusForbids(wave.status, 'be created');
  const facts = await readFacts(em, wave, exactCounts);
  const { counts } = facts;
  const open = firstOpen(gatesOf(facts), neededGates.create);
  if (open) return gateNotPassed(open);
  if (counts.pending === 0) {
    return refuse('wave_status_forbids', { detail: 'All accounts of the wave are created already.' });
  }
  const measured = await findMeasuredRate(em, wave.importSupplier);
  const refused = planTooShort(wave, counts.pending, measured, new Date());
  if (refused) return refused;
  return changeWave(em, wave, {
    status: 'SCHEDULED',
    pausedBecause: null,
    creationJobId: null,
    creationRequestedAt: new Date(),
    ...(caller.keyId === undefined ? {} : { apiKeyId: caller.keyId }),
  });
}

async function pauseWave(em: EntityManager, wave: WaveRecord): Promise<WaveRecord | Refused> {
  if (wave.status === 'PAUSED') return wave;
  if (wave.status !== 'SCHEDULED' && wave.status !== 'CREATING') return statusForbids(wave.status, 'be paused');
  if (wave.creationJobId !== null) await pauseJobOfWave(em, wave.creationJobId);
  return changeWave(em, wave, { status: 'PAUSED', pausedBecause: 'asked' });
}

/** Continues a paused wave, or its creation job after a canary or too many failures. */
async function resumeWave(em: EntityManager, wave: WaveRecord): Promise<WaveRecord | Refused> {
  if (wave.status !== 'PAUSED' && wave.status !== 'CREATING') {
    return wave.status === 'SCHEDULED' ? wave : statusForbids(wave.status, 'be resumed');
  }
  if (wave.creationJobId !== null) await resumeJobOfWave(em, wave.creationJobId);
  const status = wave.creationJobId === null ? 'SCHEDULED' : 'CREATING';
  // The person accepts that the creation continues after its plan; otherwise it would be paused again.
  const isOver =
    wave.pausedBecause === 'past_create_until' && wave.createUntil !== null && wave.createUntil <= new Date();
  const plan = isOver ? { createUntil: null } : {};
  return changeWave(em, wave, { status, pausedBecause: null, ...plan });
}

/** Ends a wave before its creation is complete. Created accounts stay; the others can join another wave. */
async function cancelWave(em: EntityManager, wave: WaveRecord): Promise<WaveRecord | Refused> {
  if (wave.status === 'CANCELLED') return wave;
  const mayEnd = ['PREPARING', 'SCHEDULED', 'CREATING', 'PAUSED'].includes(wave.status);
  if (!mayEnd) return statusForbids(wave.status, 'be canceled');
  for (const jobId of [wave.rehearsalJobId, wave.creationJobId]) if (jobId !== null) await cancelJobOfWave(em, jobId);
  await releaseMembers(em, wave.id);
  return changeWave(em, wave, { status: 'CANCELLED', pausedBecause: null });
}

async function signOff(em: EntityManager, wave: WaveRecord, order: WaveOrder): Promise<WaveRecord | Refused> {
  if (wave.status === 'SIGNED_OFF') return wave;
  if (wave.status !== 'CREATED') return statusForbids(wave.status, 'be signed off');
  const refused = await openGate(em, wave, neededGates['sign-off']);
  if (refused) return refused;
  return changeWave(em, wave, {
    status: 'SIGNED_OFF',
    signedOffBy: nameOfActor(order.caller),
    signOffReason: order.reason ?? null,
  });
}

async function requestApproval(em: EntityManager, wave: WaveRecord, order: WaveOrder): Promise<WaveRecord | Refused> {
  if (wave.status !== 'PREPARING' && wave.status !== 'CREATED') return statusForbids(wave.status, 'be approved');
  const refused = await openGate(em, wave, neededGates['request-approval']);
  if (refused) return refused;
  const content = await contentOf(em, wave);
  if (await isRequestedAlready(em, wave, 'creation', content)) return wave;
  await markApproved(em, wave.id, false);
  await insertApproval(em, wave, { purpose: 'creation', actor: order.caller, reason: order.reason ?? '', content });
  await countWave(em, wave.id);
  return wave;
}

/** A second person has to approve the withdrawal of a wave whose creation was approved. */
async function requestWithdrawalApproval(
  em: EntityManager,
  wave: WaveRecord,
  order: WaveOrder,
): Promise<WaveRecord | Refused> {
  if (wave.status !== 'CREATED' && wave.status !== 'CANCELLED') return statusForbids(wave.status, 'be withdrawn');
  const content = await contentOf(em, wave);
  if (await isRequestedAlready(em, wave, 'withdrawal', content)) return wave;
  await insertApproval(em, wave, { purpose: 'withdrawal', actor: order.caller, reason: order.reason ?? '', content });
  return wave;
}

/** Whether an undecided approval of this content exists. One of other content ends. */
async function isRequestedAlready(
  em: EntityManager,
  wave: WaveRecord,
  purpose: ApprovalRecord['purpose'],
  content: ApprovedContent,
): Promise<boolean> {
  const known = await findApproval(em, wave.id, purpose);
  if (known?.decision === null) {
    if (isOfPresent(known, wave, content)) return true;
    // The wave changed since it was requested: the request ends, declined by the service.
    await decideApproval(em, known.id, {
      actor: { keyName: 'gangway', subject: 'gangway' },
      decision: 'declined',
      reason: 'The wave changed; another approval was requested.',
    });
  }
  return false;
}

async function decide(
  em: EntityManager,
  wave: WaveRecord,
  { caller, reason = '' }: WaveOrder,
  decision: 'approved' | 'declined',
): Promise<WaveRecord | Refused> {
  const asked = [await findApproval(em, wave.id), await findApproval(em, wave.id, 'withdrawal')];
  const approval = asked.find((one) => one?.decision === null);
  if (approval === undefined) {
    return refuse('wave_status_forbids', { detail: 'No approval of the wave is requested, or it is decided.' });
  }
  if (isRequester(approval, caller)) return refuse('second_person_required');
  if (decision === 'approved') {
    const content = await contentOf(em, wave);
    if (!isOfPresent(approval, wave, content)) return refuse('wave_changed');
    if (approval.purpose === 'creation') await markApproved(em, wave.id, true);
  }
  await decideApproval(em, approval.id, { actor: caller, decision, reason });
  await countWave(em, wave.id);
  return wave;
}

/** Cancels a wave after its run was cancelled in Temporal's web UI. */
export async function cancelWaveOfRun(em: EntityManager, waveId: string): Promise<void> {
  const wave = await lockWave(em, waveId);
  if (wave !== undefined) await cancelWave(em, wave);
}

/** Pauses or resumes a wave after a signal in Temporal's web UI. */
export async function steerWaveOfRun(em: EntityManager, waveId: string, verb: 'pause' | 'resume'): Promise<void> {
  const wave = await lockWave(em, waveId);
  if (wave !== undefined) await (verb === 'pause' ? pauseWave(em, wave) : resumeWave(em, wave));
}

/** A wave whose accounts can be withdrawn, and its jobs. */
export interface WithdrawableWave {
  wave: WaveRecord;
  jobIds: string[];
}

/** Finds a wave whose accounts can be withdrawn. @param viewer undefined for operators, who see all waves */
export async function findWithdrawableWave(
  on: Queryable,
  waveId: string,
  viewer: WaveViewer | undefined,
): Promise<WithdrawableWave | Refused> {
  const wave = await findWaveOfRequest(on, { params: { wave: waveId } }, viewer);
  if (isRefused(wave)) return wave;
  if (!['CREATED', 'WITHDRAWING', 'CANCELLED'].includes(wave.status)) return statusForbids(wave.status, 'be withdrawn');
  const jobs = await kyselyOf<ImportJobColumns>(on)
    .selectFrom('import_job')
    .select(['id', 'status'])
    .where('wave_id', '=', wave.id)
    .execute();
  const isOpen = jobs.some(({ status }) => ['VALIDATING', 'RUNNING', 'PAUSED'].includes(status));
  if (isOpen) {
    return refuse('wave_status_forbids', { detail: 'Jobs of the wave have not ended. Wait, or cancel them.' });
  }
  return { wave, jobIds: jobs.map(({ id }) => id) };
}

export const WITHDRAWAL_NEEDS_APPROVAL =
  'A second person approved the creation of this wave, so a second person must approve its withdrawal.';

/** The approval of the withdrawal of a wave. One that was requested for other members or revisions is missing. */
export async function readWithdrawalApproval(
  on: Queryable,
  wave: WaveRecord,
): Promise<'not_required' | 'missing' | 'requested' | 'approved'> {
  if ((await findApproval(on, wave.id))?.decision !== 'approved') return 'not_required';
  const approval = await findApproval(on, wave.id, 'withdrawal');
  if (approval === undefined || approval.decision === 'declined') return 'missing';
  if (!approval.contentHash.equals((await contentOf(on, wave)).hash)) return 'missing';
  return approval.decision ?? 'requested';
}

/** Marks a wave as being withdrawn, in the transaction that starts the withdrawal. A wave whose creation was approved needs an approval of its withdrawal. */
export async function beginWaveWithdrawal(em: EntityManager, waveId: string): Promise<Refused | undefined> {
  const wave = (await lockWave(em, waveId))!;
  if (wave.status !== 'CREATED' && wave.status !== 'CANCELLED') return statusForbids(wave.status, 'be withdrawn');
  const approval = await readWithdrawalApproval(em, wave);
  if (approval !== 'not_required' && approval !== 'approved') {
    return refuse('wave_status_forbids', { detail: WITHDRAWAL_NEEDS_APPROVAL });
  }
  if (wave.status === 'CREATED') await changeWave(em, wave, { status: 'WITHDRAWING' });
  return undefined;
}

/** Ends the withdrawal of a wave. With kept accounts the wave remains, and its withdrawn accounts can be created again. */
export async function endWaveWithdrawal(em: EntityManager, waveId: string, isWhole: boolean): Promise<void> {
  const wave = await lockWave(em, waveId);
  if (wave?.status !== 'WITHDRAWING') return;
  if (isWhole) await releaseMembers(em, waveId);
  await countWave(em, waveId);
  await changeWave(em, wave, { status: isWhole ? 'WITHDRAWN' : 'CREATED' });
}
