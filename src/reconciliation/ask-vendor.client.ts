import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { paymentBudget } from '../../temporal.config.ts';
import type { Log } from '../platform/log.ts';
import type { PaymentVendorPort } from '../vendors/payment-vendor/payment-vendor.port.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import {
  VendorBusy,
  VendorError,
  VendorMisconfigured,
  VendorRejected,
  VendorUnavailable,
} from '../vocabulary/vendor-errors.ts';
import type { AskedOutcome } from './asked-instructions.rules.ts';
import type { InstructionInForce } from './instructions-in-force.store.ts';

/** How a vendor is asked. */
export interface AskingBudget {
  /** Instructions of one page, whose answers are kept together. */
  page: number;
  /** Between the beginnings of two questions to a vendor. */
  spacingMs: number;
  /** Questions to a vendor that are under way at once. */
  atOnce: number;
  /** After one that had no answer, unless the vendor names a longer pause. */
  pauseMs: number;
  longestPauseMs: number;
  /** So often in a row without an answer, and the vendor is asked no more by this reconciliation. */
  failuresInARow: number;
}

/** A vendor, and what it is asked by. */
export interface VendorDeps {
  vendor: PaymentVendor;
  port: Pick<PaymentVendorPort, 'check'>;
  budget: AskingBudget;
  log: Log;
  /** Resolves when the next question may begin. */
  turn(signal: AbortSignal): Promise<void>;
}

/** What a vendor has answered. */
export interface Answers {
  /** About the first ones, in their order: it ends before one that has no answer. */
  outcomes: readonly AskedOutcome[];
  /** Set where one had no answer. */
  failure: { pauseMs: number; isMisconfigured: boolean } | undefined;
}

/**
 * Asks a vendor about instructions, a few at once. After one that has no answer none is begun.
 * @param isOver no further question is begun
 * @param signal ends the calls
 * @throws what is no fault of the vendor
 */
export async function askVendor(
  deps: VendorDeps,
  instructions: readonly InstructionInForce[],
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<Answers> {
  let failure: Answers['failure'];
  const isStopped = () => failure !== undefined || isOver();
  const found = await pMap(
    instructions,
    async (instruction) => {
      if (isStopped()) return undefined;
      await deps.turn(signal);
      if (isStopped()) return undefined;
      const outcome = await ask(deps, instruction, signal);
      if ('kind' in outcome) return outcome;
      failure = outcome;
      return undefined;
    },
    { concurrency: deps.budget.atOnce },
  );
  const end = found.indexOf(undefined);
  return { outcomes: (end === -1 ? found : found.slice(0, end)) as AskedOutcome[], failure };
}

async function ask(
  { vendor, port, budget, log }: VendorDeps,
  { reference, type, key }: InstructionInForce,
  signal: AbortSignal,
): Promise<AskedOutcome | NonNullable<Answers['failure']>> {
  const inTime = AbortSignal.timeout(paymentBudget.askMs);
  try {
    const state = await port.check(
      { reference, type: type as PaymentInstructionType, externalAccountNumber: key },
      AbortSignal.any([inTime, signal]),
    );
    return state.kind === 'usable' ? { kind: 'usable' } : { kind: 'different', answer: state.status };
  } catch (error) {
    if (error instanceof VendorRejected) return { kind: 'different', answer: error.reason };
    signal.throwIfAborted();
    const failed =
      inTime.aborted && !(error instanceof VendorError) ? new VendorUnavailable('It took too long.') : error;
    if (!(failed instanceof VendorError)) throw failed;
    const isMisconfigured = failed instanceof VendorMisconfigured;
    // Ours to mend and nothing that heals unseen.
    if (isMisconfigured) log.error({ vendor }, failed.message);
    const wanted = failed instanceof VendorBusy ? failed.retryAfterSeconds * 1_000 : 0;
    return { pauseMs: Math.min(Math.max(budget.pauseMs, wanted), budget.longestPauseMs), isMisconfigured };
  }
}

/** Spaces the beginnings of questions. */
export function spacedTurns(spacingMs: number): VendorDeps['turn'] {
  let nextAt = 0;
  return async (signal) => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + spacingMs;
    if (at > now) await sleep(at - now, undefined, { signal });
    signal.throwIfAborted();
  };
}
