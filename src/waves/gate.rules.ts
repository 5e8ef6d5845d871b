import {
  type ArrivedInWave,
  describeDifferences,
  type WaveComparison,
} from '../import-jobs/manifest/manifest-state.rules.ts';
import { type GateName, gateSentences, type GateState, type WaveStatus } from '../vocabulary/waves.ts';
import {
  attachedKinds,
  type ImportJobGoal,
  type ImportJobKind,
  type ImportJobStatus,
  type PauseReason,
} from '../vocabulary/import-jobs.ts';

/** Counts of a wave: its members by state, and what its gates depend on. */
export interface WaveCounts {
  accounts: number;
  excluded: number;
  /** Excluded records that are no members: they were delivered, but not staged. */
  excludedOthers: number;
  pending: number;
  created: number;
  rejected: number;
  skipped: number;
  quarantined: number;
  invalidLines: number;
  /** Lines of notes, transactions, statements and payment instructions that failed and are neither corrected nor excluded. */
  failedAttachments: number;
  notRehearsed: number;
  /** Those of them that the last rehearsal rejected in their present revision. */
  failedRehearsal: number;
  notApproved: number;
  /** Members whose present revision is approved. */
  approved: number;
  /** Pending members that were staged, added or approved in another revision since approval was requested or given. */
  changed: number;
  switches: { pending: number; inProgress: number; rejected: number; completed: number };
  supplyStarts: EarlyStarts;
}

/** Rehearsed pending members whose first supply start is too near for their switch. */
export interface EarlyStarts {
  /** The day on which the first switches of the wave can be requested: after its creation and the hold. */
  requestsFrom: string | null;
  /** Members whose supply starts before that day. */
  before: number;
  /** Further members whose switch is requested later than the lead time of the industry demands. */
  withinLeadTime: number;
  /** The earliest supply start of both, and the external numbers of the first three. */
  earliest: string | null;
  examples: string[];
}

export const NO_COUNTS: WaveCounts = {
  accounts: 0,
  excluded: 0,
  excludedOthers: 0,
  pending: 0,
  created: 0,
  rejected: 0,
  skipped: 0,
  quarantined: 0,
  invalidLines: 0,
  failedAttachments: 0,
  notRehearsed: 0,
  failedRehearsal: 0,
  notApproved: 0,
  approved: 0,
  changed: 0,
  switches: { pending: 0, inProgress: 0, rejected: 0, completed: 0 },
  supplyStarts: { requestsFrom: null, before: 0, withinLeadTime: 0, earliest: null, examples: [] },
};

/** A job of a wave. */
export interface WaveJob {
  id: string;
  kind: ImportJobKind;
  goal: ImportJobGoal;
  name: string | null;
  selection: string;
  status: ImportJobStatus;
  pausedBecause: PauseReason | null;
  accepted: number;
  succeeded: number;
  failed: number;
  startedAt: Date | null;
  endedAt: Date | null;
}

/** The newest comparison of a job that created accounts of the wave; its id is null if there is none. */
export interface WaveCertificate {
  jobId: string;
  id: string | null;
  status: string | null;
  differences: number;
  /** The organization that started it; null for operators. */
  organisation: string | null;
}

/** What the gates of a wave are computed from. */
export interface WaveFacts {
  status: WaveStatus;
  counts: WaveCounts;
  jobs: readonly WaveJob[];
  rehearsalJobId: string | null;
  creationJobId: string | null;
  /** Whether the wave or its supplier requires an approval. */
  requiresApproval: boolean;
  approval: {
    state: 'none' | 'requested' | 'approved' | 'declined' | 'expired';
    by?: string;
    /** Whether the plan changed since the request. */
    isPlanChanged?: boolean;
  };
  /** The accounts that the supplier delivers; null if it did not say so. */
  expectedAccounts: number | null;
  certificates: readonly WaveCertificate[];
  /** How the records compare with the manifest of the wave; undefined without one. */
  manifest?: Pick<WaveComparison, 'before' | 'attached'> | undefined;
  signedOffBy: string | null;
}

export interface Gate {
  name: GateName;
  state: GateState;
  evidence: string;
  /** Path of the resource that shows it, below `/v1/data-import/`. */
  link: string | null;
}

const ACCEPT = 'Send missing or corrected records, or have an operator accept the differences.';

type Verdict = Omit<Gate, 'name'>;

/** A job that is paused for another reason continues automatically. */
const JOB_WAITS: ReadonlySet<PauseReason> = new Set(['asked', 'too_many_failures', 'key_revoked']);

const verdicts: Record<GateName, (facts: WaveFacts) => Verdict> = {
  complete: ({ counts, jobs, expectedAccounts, manifest }) => {
    const uploads = uploadsOf(jobs);
    const open = uploads.filter(({ status }) => !isOver(status));
    if (open.length > 0) {
      const detail = `${count(open.length, 'upload has', 'uploads have')} not ended.`;
      return open.some(({ status }) => status === 'PAUSED')
        ? blocked(`${detail} One is paused.`, jobLink(open[0]!.id))
        : notYet(detail, jobLink(open[0]!.id));
    }
    if (counts.accounts === 0) return notYet('The wave has no accounts.');
    const delivered = counts.accounts + counts.excludedOthers;
    if (expectedAccounts !== null && delivered !== expectedAccounts) {
      const detail = `${count(delivered, 'account', 'accounts')} of ${expectedAccounts} expected.`;
      return delivered < expectedAccounts
        ? notYet(`${detail} Stage the others, or change the plan.`)
        : blocked(`${detail} Move the others to another wave, or change the plan.`);
    }
    const differences = manifest?.before ?? [];
    if (differences.length > 0) return blocked(`${describeDifferences(differences)} ${ACCEPT}`);
    return passed(
      `${count(counts.accounts, 'account', 'accounts')} from ${count(uploads.length, 'upload', 'uploads')}${expectedAccounts === null ? '' : ', as expected'}.`,
    );
  },
  valid: ({ counts }) => {
    const faults = [
      [counts.invalidLines, 'invalid'],
      [counts.rejected, 'rejected'],
      [counts.skipped, 'skipped'],
      [counts.quarantined, 'quarantined'],
    ] as const;
    const found = faults.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
    if (found.length > 0) return blocked(`${found.join(', ')}. Correct them, or exclude them with a reason.`);
    if (counts.accounts === 0) return notYet('The wave has no accounts.');
    return passed(
      counts.excluded === 0
        ? 'No account is faulty.'
        : `${count(counts.excluded, 'record is', 'records are')} excluded.`,
    );
  },
  rehearsed: ({ counts, jobs, rehearsalJobId }) => {
    if (counts.pending === 0) {
      return counts.created > 0 ? passed('All accounts are created.') : notYet('Nothing to try.');
    }
    const job = jobs.find(({ id }) => id === rehearsalJobId);
    const link = rehearsalJobId && jobLink(rehearsalJobId);
    if (counts.notRehearsed === 0) {
      return passed(
        `The rehearsal tried all ${counts.pending} ${counts.created > 0 ? 'pending ' : ''}accounts in their present revision.${warningOf(counts.supplyStarts)}`,
        link,
      );
    }
    if (job === undefined) return notYet('No rehearsal has been started.');
    if (!isOver(job.status)) {
      return notYet(`The rehearsal has tried ${job.succeeded + job.failed} of ${job.accepted}.`, link);
    }
    const left = count(counts.notRehearsed, 'account', 'accounts');
    return counts.failedRehearsal === counts.notRehearsed
      ? blocked(`${left} failed the rehearsal. Correct them, or exclude them with a reason.`, link)
      : blocked(`${left} failed the rehearsal or changed since. Start another one.`, link);
  },
  approved: ({ counts, approval, requiresApproval }) => {
    const { state, by, isPlanChanged = false } = approval;
    if (state === 'approved') return passed(`${by} approved the creation.`);
    if (isPlanChanged && (state === 'requested' || state === 'expired')) {
      const since = state === 'requested' ? `${by} asked for approval` : 'the approval';
      return blocked(`The plan changed since ${since}. Ask for another one.`);
    }
    if (state === 'requested') return blocked(`${by} asked for approval; a second person has to decide.`);
    if (state === 'declined') return blocked(`${by} declined the creation.`);
    if (state === 'expired') {
      const { notApproved } = counts;
      const what = notApproved > 0 ? count(notApproved, 'account', 'accounts') : 'The members of the wave';
      return blocked(`${what} changed since the approval. Ask for another one.`);
    }
    return requiresApproval
      ? notYet('No approval was requested.')
      : { ...passed('No approval is required.'), state: 'not_required' };
  },
  created: ({ counts, jobs, status, creationJobId }) => {
    const link = creationJobId && jobLink(creationJobId);
    const detail = `${counts.created} of ${counts.created + counts.pending} accounts are created.`;
    if (counts.created > 0 && counts.pending === 0) return passed(detail, link);
    const pause = pauseOfCreation({ status, jobs, creationJobId });
    if (pause === 'canary') return blocked(`${detail} The canary has ended: check it, then resume.`, link);
    if (pause && JOB_WAITS.has(pause)) return blocked(`${detail} The job is paused.`, link);
    return status === 'PAUSED' ? blocked(`${detail} The wave is paused.`, link) : notYet(detail, link);
  },
  attached: ({ jobs, counts, manifest }) => {
    const attached = jobs.filter(({ kind, status }) => attachedKinds.includes(kind) && status !== 'CANCELLED');
    const open = attached.filter(({ status }) => !isOver(status));
    if (open.length > 0) {
      return notYet(`${count(open.length, 'job has', 'jobs have')} not ended.`, jobLink(open[0]!.id));
    }
    if (counts.failedAttachments > 0) {
      const first = attached.find((job) => job.failed > 0);
      const detail = `${count(counts.failedAttachments, 'line has', 'lines have')} failed.`;
      return blocked(`${detail} Correct them, or exclude them with a reason.`, first ? jobLink(first.id) : null);
    }
    if (manifest !== undefined && manifest.attached.length > 0) {
      return blocked(`${describeDifferences(manifest.attached)} ${ACCEPT}`);
    }
    if (attached.length > 0) {
      return passed(`${count(attached.length, 'job has', 'jobs have')} ended.`);
    }
    return counts.created === 0
      ? notYet('Attachments come after the creation.')
      : { ...passed('The wave has no attachments.'), state: 'not_required' };
  },
  reconciled: ({ certificates }) => {
    const missing = certificates.find(({ id }) => id === null);
    if (certificates.length === 0) return notYet('No comparison has been started.');
    // The link leads to the job that is to be compared.
    if (missing !== undefined) return notYet('No comparison has been started.', jobLink(missing.jobId));
    const open = certificates.find(({ status }) => status !== 'COMPLETED');
    if (open !== undefined) return notYet('The comparison has not ended.', certificateLink(open));
    const different = certificates.find(({ differences }) => differences > 0);
    if (different === undefined) {
      return passed('The certificate shows no differences.', certificateLink(certificates[0]!));
    }
    const detail = `The certificate shows ${count(different.differences, 'difference', 'differences')}.`;
    return blocked(detail, certificateLink(different));
  },
  switched: ({ counts: { created, switches } }) => {
    // Accounts without supply points are not counted.
    const all = switches.pending + switches.inProgress + switches.rejected + switches.completed;
    const detail = `${switches.completed} of ${all} switched, ${switches.inProgress} in progress, ${switches.rejected} rejected.`;
    if (created > 0 && switches.completed === all) return passed(detail);
    return switches.rejected > 0 ? blocked(detail) : notYet(detail);
  },
  signed_off: ({ signedOffBy }) =>
    signedOffBy === null ? notYet('It is not signed off.') : passed(`${signedOffBy} signed the wave off.`),
};

/** Why the creation of a wave waits although the wave itself is not paused: its job is. */
export function pauseOfCreation({
  status,
  jobs,
  creationJobId,
}: Pick<WaveFacts, 'status' | 'jobs' | 'creationJobId'>): PauseReason | null {
  if (status !== 'CREATING') return null;
  return jobs.find(({ id }) => id === creationJobId)?.pausedBecause ?? null;
}

/** Computes all gates of a wave, in their order. Those of a wave that was withdrawn or canceled ask for nothing. */
export function gatesOf(facts: WaveFacts): Gate[] {
  const gates = (Object.keys(gateSentences) as GateName[]).map((name) => ({ name, ...verdicts[name](facts) }));
  // After the sign-off, switches may still be in progress.
  const isGivenUp = facts.status === 'WITHDRAWN' || facts.status === 'CANCELLED';
  return isGivenUp
    ? gates.map((gate) => (isPassed(gate) ? gate : { ...gate, ...notYet('The wave has ended.') }))
    : gates;
}

/** Whether a gate lets the wave pass. */
export function isPassed({ state }: Pick<Gate, 'state'>): boolean {
  return state === 'passed' || state === 'not_required';
}

/** The first of some gates that is not passed. */
export function firstOpen(gates: readonly Gate[], names: readonly GateName[]): Gate | undefined {
  return gates.find((gate) => names.includes(gate.name) && !isPassed(gate));
}

/** Which records of a wave have arrived, so that they can be compared with its manifest. */
export function arrivedIn({ jobs, counts }: Pick<WaveFacts, 'jobs' | 'counts'>): ArrivedInWave {
  const attachments = jobs.filter(({ kind, status }) => attachedKinds.includes(kind) && status !== 'CANCELLED');
  return {
    isComplete: counts.accounts > 0 && uploadsOf(jobs).every(({ status }) => isOver(status)),
    isAttached: counts.created > 0 && counts.pending === 0 && attachments.every(({ status }) => isOver(status)),
  };
}

function uploadsOf(jobs: readonly WaveJob[]): WaveJob[] {
  return jobs.filter(({ kind, selection }) => selection === 'uploaded' && !attachedKinds.includes(kind));
}

/** Whether a job has ended. */
export function isOver(status: ImportJobStatus): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED' || status === 'EXPIRED';
}

/** A warning about supply starts that come too early for the plan. It does not block: operators may have agreed on them. */
function warningOf({ before, withinLeadTime, requestsFrom, earliest, examples }: EarlyStarts): string {
  if (before + withinLeadTime === 0) return '';
  const of = (number: number) => (number === 1 ? 'Supply of 1 account starts' : `Supply of ${number} accounts starts`);
  const early = before > 0 ? ` ${of(before)} before ${requestsFrom}, when the first switches can be requested.` : '';
  const near =
    withinLeadTime > 0 ? ` ${of(withinLeadTime)} too soon after ${requestsFrom} for the lead time of switches.` : '';
  const named = `${examples.slice(0, EXAMPLES).join(', ')}${before + withinLeadTime > EXAMPLES ? ', ...' : ''}`;
  return ` Warning:${early}${near} The earliest is ${earliest} (${named}).`;
}

const EXAMPLES = 3;

function passed(evidence: string, link: string | null = null): Verdict {
  return { state: 'passed', evidence, link };
}

function notYet(evidence: string, link: string | null = null): Verdict {
  return { state: 'open', evidence, link };
}

function blocked(evidence: string, link: string | null = null): Verdict {
  return { state: 'blocked', evidence, link };
}

function certificateLink({ id }: WaveCertificate): string {
  return `reconciliations/${id}/`;
}

function jobLink(id: string): string {
  return `import-jobs/${id}/`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
