import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { paymentBudget } from '../../temporal.config.ts';
import type { Database } from '../platform/database/database.ts';
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
import { listDifferences, type SubjectDifference } from './difference.store.ts';
import { advanceReconciliation, findReconciliation, lockReconciliation } from './reconciliation.store.ts';
import type { Asking } from './tally.rules.ts';
import { countAsked, kindOfAnswer, vendorOf, type AskedOutcome } from './asked-instructions.rules.ts';
import {
  countAskedInADay,
  findNextInstructions,
  findPathsInForce,
  type InstructionInForce,
  type NextInstructions,
} from './instructions-in-force.store.ts';

/** What asking depends on. */
export interface AskDeps {
  database: Database;
  vendors: Readonly<Partial<Record<PaymentVendor, Pick<PaymentVendorPort, 'check'>>>>;
  log: Log;
  /** Most questions to one vendor in a day, by all reconciliations of an import supplier. */
  callsPerDay: number;
  budget: {
    /** Between two questions. */
    spacingMs: number;
    /** After one that had no answer, unless the vendor names a longer pause. */
    pauseMs: number;
    longestPauseMs: number;
    /** So many in a row, and the vendor is asked no more by this reconciliation. */
    failuresInARow: number;
  };
}

/** What a page has done. */
export interface AskedPage {
  instructions: number;
  isLast: boolean;
}

interface Asked {
  instruction: InstructionInForce;
  vendor: PaymentVendor | undefined;
  outcome: AskedOutcome;
}

/** A page while it is asked. */
interface OpenPage {
  isOfOperator: boolean;
  askedInADay: Map<string, number>;
  failures: Record<string, number>;
  asked: Asked[];
  /** Set where a vendor gave no answer: the page ends here, and is gone on with after a pause. */
  pauseMs?: number;
}

/**
 * Asks vendors about the next instructions in force of a reconciliation that has compared everything, one at a time, and keeps
 * what they said. Nothing is locked while a vendor is asked; of two that ask at once one is counted.
 * @param isOver no further question is begun
 * @param signal ends the calls
 * @returns `held` where somebody else keeps a page; undefined where there is no such reconciliation, or it has ended
 */
export async function askNextInstructions(
  deps: AskDeps,
  id: string,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<AskedPage | 'held' | undefined> {
  const record = await findReconciliation(deps.database, id);
  if (record?.status !== 'RUNNING') return undefined;
  const asking: Asking = record.tally.asking ?? { after: ['', -1], failures: {} };
  const next = await findNextInstructions(deps.database, record, asking.after);
  const page: OpenPage = {
    isOfOperator: record.organisation === null,
    askedInADay: await countAskedInADay(deps.database, record.importSupplier),
    failures: { ...asking.failures },
    asked: [],
  };
  await askPage(deps, page, next.instructions, isOver, signal);
  const isWhole = page.asked.length === next.instructions.length;
  const after = isWhole ? next.after : placeOf(page.asked.at(-1)?.instruction, asking.after);
  const kept = await deps.database.transaction((em) => keepAsked(em, id, asking.after, { ...page, after }));
  if (kept !== true) return kept;
  if (page.pauseMs !== undefined) await sleep(page.pauseMs, undefined, { signal });
  return { instructions: page.asked.length, isLast: isWhole && next.isLast };
}

function placeOf(last: InstructionInForce | undefined, before: Asking['after']): NextInstructions['after'] {
  return last === undefined ? before : [last.place, last.position];
}

async function askPage(
  deps: AskDeps,
  page: OpenPage,
  instructions: readonly InstructionInForce[],
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const instruction of instructions) {
    signal.throwIfAborted();
    const vendor = vendorOf(instruction);
    const port = vendor === undefined ? undefined : deps.vendors[vendor];
    const reason = whyNotAsked(deps, page, instruction, vendor);
    if (reason !== undefined || port === undefined || vendor === undefined) {
      page.asked.push({ instruction, vendor, outcome: { kind: 'not-asked', reason: reason ?? 'unknown_vendor' } });
      continue;
    }
    if (isOver()) return;
    const outcome = await ask(deps, page, port, vendor, instruction, signal);
    if (outcome === undefined) return;
    page.asked.push({ instruction, vendor, outcome });
    page.askedInADay.set(vendor, (page.askedInADay.get(vendor) ?? 0) + 1);
    await sleep(deps.budget.spacingMs, undefined, { signal });
  }
}

function whyNotAsked(
  { vendors, callsPerDay, budget }: AskDeps,
  { isOfOperator, askedInADay, failures }: OpenPage,
  { isVerified }: InstructionInForce,
  vendor: PaymentVendor | undefined,
) {
  if (vendor === undefined) return 'unknown_vendor';
  if (!isVerified && !isOfOperator) return 'not_verified';
  if (vendors[vendor] === undefined) return 'no_address';
  if ((failures[vendor] ?? 0) >= budget.failuresInARow) return 'unreachable';
  return (askedInADay.get(vendor) ?? 0) >= callsPerDay ? 'limit_reached' : undefined;
}

/** @returns undefined where the vendor gave no answer */
async function ask(
  { log, budget }: AskDeps,
  page: OpenPage,
  port: Pick<PaymentVendorPort, 'check'>,
  vendor: PaymentVendor,
  { reference, type, key }: InstructionInForce,
  signal: AbortSignal,
): Promise<AskedOutcome | undefined> {
  const inTime = AbortSignal.timeout(paymentBudget.askMs);
  try {
    const state = await port.check(
      { reference, type: type as PaymentInstructionType, externalAccountNumber: key },
      AbortSignal.any([inTime, signal]),
    );
    page.failures[vendor] = 0;
    return state.kind === 'usable' ? { kind: 'usable' } : { kind: 'different', answer: state.status };
  } catch (error) {
    if (error instanceof VendorRejected) {
      page.failures[vendor] = 0;
      return { kind: 'different', answer: error.reason };
    }
    signal.throwIfAborted();
    const failed =
      inTime.aborted && !(error instanceof VendorError) ? new VendorUnavailable('It took too long.') : error;
    if (!(failed instanceof VendorError)) throw failed;
    // Ours to mend and nothing that heals unseen.
    if (failed instanceof VendorMisconfigured) log.error({ vendor }, failed.message);
    page.failures[vendor] =
      failed instanceof VendorMisconfigured ? budget.failuresInARow : (page.failures[vendor] ?? 0) + 1;
    const wanted = failed instanceof VendorBusy ? failed.retryAfterSeconds * 1_000 : 0;
    page.pauseMs = Math.min(Math.max(budget.pauseMs, wanted), budget.longestPauseMs);
    return undefined;
  }
}

/** @returns true when it is kept */
async function keepAsked(
  em: EntityManager,
  id: string,
  before: Asking['after'],
  { asked, after, failures }: Pick<OpenPage, 'asked' | 'failures'> & Pick<Asking, 'after'>,
): Promise<true | 'held' | undefined> {
  const record = await lockReconciliation(em, id);
  if (record === undefined) return 'held';
  if (record.status !== 'RUNNING') return undefined;
  const { tally } = record;
  const [place, position] = tally.asking?.after ?? ['', -1];
  if (place !== before[0] || position !== before[1]) return 'held';
  const unlike = asked.filter(({ outcome }) => outcome.kind === 'different');
  const paths = await findPathsInForce(
    em,
    unlike.map(({ instruction }) => instruction),
  );
  const differences: SubjectDifference[] = [];
  for (const one of asked) {
    const { instruction, vendor, outcome } = one;
    if (outcome.kind === 'different') {
      const path = paths.get(unlike.indexOf(one));
      if (path === undefined) continue;
      const kind = kindOfAnswer(outcome.answer);
      tally.differences[kind] += 1;
      differences.push({
        subject: 'payment_instruction',
        key: instruction.key,
        path,
        kind,
        table: 'payment_instruction',
        column: null,
        reason: null,
        vendorAnswer: outcome.answer,
      });
    }
    countAsked(tally, vendor, outcome);
  }
  tally.vendors ??= {};
  tally.asking = { after, failures };
  await listDifferences(em, record, differences);
  await advanceReconciliation(em, record);
  return true;
}
