import { workflowIds } from '../../temporal.config.ts';
import { type EarlyStarts, isPassed, gatesOf, NO_COUNTS, type WaveCounts, type WaveFacts } from './gate.rules.ts';
import { plannedOf } from './wave.rules.ts';
import type { ApprovalRecord, WaveRecord } from './wave.entity.ts';

/** A wave as responses show it, without its gates. @param rate accounts that its job creates per second, 0 while none runs */
export function waveView(wave: WaveRecord, facts: WaveFacts, rate: number) {
  const counts = facts.counts;
  const isCreating = rate > 0 && wave.status === 'CREATING';
  // Of the job, whose counts are always new.
  const job = facts.jobs.find(({ id }) => id === wave.creationJobId);
  const left = job === undefined ? counts.pending : job.accepted - job.succeeded - job.failed;
  return {
    wave_id: wave.id,
    import_supplier: wave.importSupplier,
    name: wave.name,
    operations_team_name: wave.operationsTeam,
    ...plannedOf(wave),
    status: wave.status,
    paused_because: wave.pausedBecause,
    rehearsal_job_id: wave.rehearsalJobId,
    creation_job_id: wave.creationJobId,
    counts: countsView(counts),
    supply_starts: earlyStartsView(wave.id, counts.supplyStarts),
    counted_at: (wave.countedAt ?? wave.createdAt).toISOString(),
    gate: gatesOf(facts).find((gate) => !isPassed(gate))?.name ?? null,
    accounts_per_second: Math.round(rate * 10) / 10,
    estimated_end_at: isCreating ? new Date(Date.now() + (left / rate) * 1_000).toISOString() : null,
    workflow_id: workflowIds.wave(wave.id),
    created_at: wave.createdAt.toISOString(),
    ended_at: wave.endedAt?.toISOString() ?? null,
  };
}
export type WaveView = ReturnType<typeof waveView>;

function countsView(counts: WaveCounts = NO_COUNTS) {
  const { switches } = counts;
  return {
    accounts: counts.accounts,
    excluded: counts.excluded,
    pending: counts.pending,
    created: counts.created,
    rejected: counts.rejected,
    skipped: counts.skipped,
    quarantined: counts.quarantined,
    invalid_lines: counts.invalidLines,
    failed_attachments: counts.failedAttachments,
    not_rehearsed: counts.notRehearsed,
    failed_rehearsal: counts.failedRehearsal,
    not_approved: counts.notApproved,
    switches: {
      pending: switches.pending,
      in_progress: switches.inProgress,
      rejected: switches.rejected,
      completed: switches.completed,
    },
  };
}

/** Supply starts that come too early for the plan, with the path of their list. */
function earlyStartsView(waveId: string, early: EarlyStarts) {
  const { requestsFrom, before, withinLeadTime, earliest, examples } = early;
  return {
    requests_from: requestsFrom,
    before_requests: before,
    within_lead_time: withinLeadTime,
    earliest,
    examples,
    link: before + withinLeadTime > 0 ? `/v1/data-import/waves/${waveId}/early-starts/` : null,
  };
}

/** The newest approval of a wave as responses show it. @param changed the members that changed since it was requested */
export function approvalView(
  approval: ApprovalRecord,
  { planRevision }: Pick<WaveRecord, 'planRevision'>,
  changed: { count: number; accounts: string[] },
) {
  return {
    purpose: approval.purpose,
    requested_by: approval.requestedBy,
    requested_at: approval.requestedAt.toISOString(),
    reason: approval.requestReason,
    members: approval.members,
    ...approval.planned,
    plan_changed: approval.purpose === 'creation' && approval.planRevision !== planRevision,
    decided_by: approval.decidedBy,
    decided_at: approval.decidedAt?.toISOString() ?? null,
    decision: approval.decision,
    decision_reason: approval.decisionReason,
    changed: changed.count,
    changed_accounts: changed.accounts,
  };
}
export type ApprovalView = ReturnType<typeof approvalView>;
