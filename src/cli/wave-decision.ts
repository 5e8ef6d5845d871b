import { ENDED_WAVES } from '../vocabulary/waves.ts';
import type { GateName } from '../vocabulary/waves.ts';
import { waitsForPerson } from './import-job-view.ts';
import type { WaveJob, WaveView } from './wave-view.ts';

/** What a wave waits for a person to do. */
export interface Decision {
  sentence: string;
  /** Commands, without the program, that make the decision. */
  commands: readonly string[];
  /** Whether the wave is complete but for this. */
  isLast?: true;
}

const ENDED: ReadonlySet<string> = new Set(ENDED_WAVES);
const REASON = '--reason "..."';
/** Kinds whose failed lines the gate `valid` shows. */
const BEFORE: ReadonlySet<string> = new Set(['businesses', 'business-contracts', 'accounts']);

/** Whether the status of a wave is final. */
export function hasWaveEnded({ status }: Pick<WaveView, 'status'>): boolean {
  return ENDED.has(status);
}

/** Whether a job has been started, has not ended and continues without a person. */
export function isAtWork(job: WaveJob): boolean {
  return ['VALIDATING', 'RUNNING', 'PAUSED'].includes(job.status) && !waitsForPerson(job);
}

/** Whether a gate lets the wave pass. */
export function isGatePassed(wave: WaveView, name: GateName): boolean {
  const gate = wave.gates.find((one) => one.name === name);
  return gate?.state === 'passed' || gate?.state === 'not_required';
}

/** The decision that a wave waits for; undefined while it advances automatically, and after its end. */
export function decisionOf(wave: WaveView): Decision | undefined {
  if (hasWaveEnded(wave) || ['SCHEDULED', 'WITHDRAWING'].includes(wave.status)) return undefined;
  const { wave_id: id, status } = wave;
  if (status === 'PAUSED') {
    return { sentence: 'The wave is paused.', commands: [`waves resume ${id}`, `waves cancel ${id}`] };
  }
  const paused = wave.jobs.find(waitsForPerson);
  if (paused !== undefined) return decisionOnJob(wave, paused);
  if (status === 'CREATING' || wave.jobs.some(isAtWork)) return undefined;
  const order = Object.keys(decisions) as (keyof typeof decisions)[];
  const open = order.find((name) => !isGatePassed(wave, name));
  return open === undefined ? undefined : decisions[open](wave);
}

function decisionOnJob(wave: WaveView, job: WaveJob): Decision {
  const { job_id: id, paused_because: because, succeeded, failed } = job;
  const isCreation = id === wave.creation_job_id;
  const done = isCreation ? 'created' : 'done';
  const commands = [
    ...(failed > 0 ? [`jobs causes ${id}`] : []),
    isCreation ? `waves resume ${wave.wave_id}` : `jobs resume ${id}`,
    isCreation ? `waves cancel ${wave.wave_id}` : `jobs cancel ${id}`,
  ];
  const sentence =
    because === 'canary'
      ? `The canary has ended: ${succeeded} ${done}, ${failed} failed. Check them, then resume or cancel.`
      : `The job ${id} (${job.kind}) is paused${because === null ? '' : ` (${because.replaceAll('_', ' ')})`}: ${succeeded} ${done}, ${failed} failed.`;
  return { sentence, commands };
}

/** What to do at each gate that is not passed while no job is in progress. */
const decisions = {
  complete: (wave): Decision =>
    decisionOnOpenJob(wave) ??
    decisionOnManifest(wave, 'complete') ?? {
      sentence:
        wave.counts.accounts === 0 ? 'The wave has no accounts. Stage some with its id.' : evidenceOf(wave, 'complete'),
      commands: [`import accounts.ndjson --supplier ${wave.import_supplier} --goal stage --wave ${wave.wave_id}`],
    },
  valid: (wave): Decision => {
    const { creation_job_id: creation } = wave;
    const failed = wave.jobs.filter(({ job_id: id, failed: count, selection, kind }) =>
      count > 0 && selection === 'uploaded' ? BEFORE.has(kind) : count > 0 && id === creation,
    );
    return {
      sentence: `${evidenceOf(wave, 'valid')} Faulty accounts are corrected by uploading them again.`,
      commands: [...failed.map(resultsOf), `waves exclude ${wave.wave_id} --faulty ${REASON}`],
    };
  },
  rehearsed: (wave): Decision => {
    const rehearsal = wave.jobs.find(({ job_id: id }) => id === wave.rehearsal_job_id);
    const again = [`waves rehearse ${wave.wave_id}`];
    if (rehearsal === undefined || rehearsal.failed === 0) {
      return { sentence: evidenceOf(wave, 'rehearsed'), commands: again };
    }
    const commands = [`jobs causes ${rehearsal.job_id}`, `jobs results ${rehearsal.job_id} --outcome failed`];
    return {
      sentence: `${evidenceOf(wave, 'rehearsed')} Corrected accounts are uploaded again.`,
      commands: [...commands, `waves exclude ${wave.wave_id} --faulty ${REASON}`, ...again],
    };
  },
  approved: ({ wave_id: id, ...wave }): Decision => {
    const isRequested =
      wave.approval !== null &&
      wave.approval.decision === null &&
      wave.approval.changed === 0 &&
      !wave.approval.plan_changed;
    return isRequested
      ? {
          sentence: `${evidenceOf(wave, 'approved')} Operators do that, also on the support site.`,
          commands: [`waves approve ${id} ${REASON}`, `waves decline ${id} ${REASON}`],
        }
      : {
          sentence: `${evidenceOf(wave, 'approved')} An operator requests the approval, and another one decides.`,
          commands: [`waves request-approval ${id} ${REASON}`],
        };
  },
  created: (wave): Decision =>
    wave.counts.pending === 0
      ? {
          sentence: 'No account of the wave can be created. Add accounts, or cancel the wave.',
          commands: [`waves cancel ${wave.wave_id}`],
        }
      : { sentence: 'The accounts can be created.', commands: [`waves create ${wave.wave_id}`] },
  attached: (wave): Decision =>
    decisionOnOpenJob(wave) ??
    decisionOnManifest(wave, 'attached') ?? {
      sentence: `${evidenceOf(wave, 'attached')} Correct the lines and import them again, or exclude them.`,
      commands: [
        ...wave.jobs.filter((job) => job.goal === 'IMPORT' && job.failed > 0).map(resultsOf),
        `waves exclude ${wave.wave_id} --faulty ${REASON}`,
      ],
    },
  reconciled: (wave): Decision | undefined => {
    const certificate = reconciliationOf(wave);
    if (certificate !== undefined && gateOf(wave, 'reconciled')?.state === 'open') return undefined;
    return certificate === undefined
      ? {
          sentence: 'Compare what is stored with what was sent.',
          commands: [`reconcile start --job ${jobToCompare(wave) ?? '<job>'} --watch`],
        }
      : {
          sentence: `${evidenceOf(wave, 'reconciled')} Compare its job again when they are corrected (reconcile start --job).`,
          commands: [`reconcile differences ${certificate}`, `reconcile show ${certificate}`],
        };
  },
  signed_off: ({ wave_id: id }): Decision => ({
    sentence: 'Left: an operator signs the wave off, also on the support site.',
    commands: [`waves sign-off ${id} ${REASON}`],
    isLast: true,
  }),
} as const satisfies Partial<Record<GateName, (wave: WaveView) => Decision | undefined>>;

/** Records that differ from the manifest block the gate when nothing else does. */
function decisionOnManifest(wave: WaveView, name: GateName): Decision | undefined {
  const gate = gateOf(wave, name);
  const isBlocked = gate?.state === 'blocked' && gate.evidence.startsWith('The records differ from the manifest');
  if (!isBlocked) return undefined;
  return {
    sentence: gate.evidence,
    commands: [`waves show ${wave.wave_id}`, `waves accept-differences ${wave.wave_id} ${REASON}`],
  };
}

function decisionOnOpenJob(wave: WaveView): Decision | undefined {
  const open = wave.jobs.find(({ status }) => status === 'OPEN');
  return (
    open && {
      sentence: `The job ${open.job_id} (${open.name ?? open.kind}) is not started. Run the command that opened it again, or cancel it.`,
      commands: [`jobs cancel ${open.job_id}`],
    }
  );
}

/** The reconciliation from which the gate `reconciled` follows; undefined while a creation is not compared. */
export function reconciliationOf(wave: Pick<WaveView, 'gates'>): string | undefined {
  return /reconciliations\/([^/]+)/.exec(gateOf(wave, 'reconciled')?.link ?? '')?.[1];
}

/** The creation that is to be compared. A wave has several if accounts were corrected after the first one. */
export function jobToCompare(wave: WaveView): string | null {
  return /import-jobs\/([^/]+)/.exec(gateOf(wave, 'reconciled')?.link ?? '')?.[1] ?? wave.creation_job_id;
}

function gateOf({ gates }: Pick<WaveView, 'gates'>, name: GateName) {
  return gates.find((gate) => gate.name === name);
}

function evidenceOf(wave: Pick<WaveView, 'gates'>, name: GateName): string {
  return gateOf(wave, name)?.evidence ?? '';
}

function resultsOf({ job_id: id, kind, selection }: WaveJob): string {
  const asSent = selection === 'uploaded' ? ` --resend --output ${kind}-left.ndjson` : '';
  return `jobs results ${id} --outcome failed${asSent}`;
}

/** A decision with its commands, one per line. Commands of operators are shown as they call them. */
export function textOf({ sentence, commands }: Decision, program: string): string {
  return [
    sentence,
    ...commands.map((command) => `  ${isOperators(command) ? '(operators)' : program} ${command}`),
  ].join('\n');
}

function isOperators(command: string): boolean {
  return /^waves (?:request-approval|accept-differences|approve|decline|sign-off) /.test(command);
}
