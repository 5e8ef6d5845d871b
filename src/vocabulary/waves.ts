import { setOf } from './value-sets.ts';

/** Lifecycle of a wave (docs/operators/waves.md). */
export const waveStatuses = setOf('own', [
  'PREPARING',
  'SCHEDULED',
  'CREATING',
  'PAUSED',
  'CREATED',
  'WITHDRAWING',
  'WITHDRAWN',
  'SIGNED_OFF',
  'CANCELLED',
]);
export type WaveStatus = keyof typeof waveStatuses;

/** Final statuses of a wave. */
export const ENDED_WAVES: readonly WaveStatus[] = ['WITHDRAWN', 'SIGNED_OFF', 'CANCELLED'];

/** Statuses of a wave in which its members stay as they are. */
export const CLOSED_WAVES: readonly WaveStatus[] = [...ENDED_WAVES, 'WITHDRAWING'];

/** Why a wave is paused. `past_create_until`: its plan ended before all its accounts were created. */
export const wavePauseReasons = setOf('own', ['asked', 'past_create_until']);
export type WavePauseReason = keyof typeof wavePauseReasons;

/** The gates of a wave in their order, with what each of them shows. */
export const gateSentences = {
  complete: 'All uploads of the wave have ended, and the wave has accounts.',
  valid: 'No account of the wave is rejected, skipped or quarantined, unless it is excluded with a reason.',
  rehearsed: 'A rehearsal of exactly the present revisions succeeded.',
  approved: 'A second person approved the creation of exactly the present revisions.',
  created: 'All accounts of the wave are created.',
  attached: 'All jobs of notes, transactions, statements and payment instructions of the wave have ended.',
  reconciled: 'A certificate of the creation shows no differences.',
  switched: 'All supply points of the wave are switched.',
  signed_off: 'A person has signed the wave off.',
} as const satisfies Record<string, string>;
export type GateName = keyof typeof gateSentences;
export const gateNames = setOf('own', Object.keys(gateSentences) as GateName[]);

/** State of a gate. `blocked`: a person has to act; `not_required`: the gate does not apply. */
export const gateStates = setOf('own', ['passed', 'open', 'blocked', 'not_required']);
export type GateState = keyof typeof gateStates;
