import { v5 as uuidv5 } from 'uuid';
import { paymentPageBudget } from '../../../temporal.config.ts';
import {
  openVerificationPages,
  validatePaymentInstruction,
  type VerificationPageDeps,
  watchPausedVendors,
} from '../../payment-instructions/index.ts';
import { databaseWithin } from '../../platform/database/database.ts';
import { membersIn, textOf } from '../../vocabulary/loose-payload.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import {
  type JobAtWork,
  type LineKind,
  type LineOutcome,
  outcomeOfRefusal,
  outcomeOfReply,
  type PreparedLine,
} from './line-kind.rules.ts';
import { readLineOfJob } from '../read-line.validation.ts';
import { outcomeOfLine, requestOfLine } from './routed-line-kind.store.ts';

type PaymentLineDeps = Omit<VerificationPageDeps, 'paused'>;

/** A line and its outcome; without an outcome no vendor was called. */
type VerifiedLine = PreparedLine & { outcome?: LineOutcome };

/** Backoff of a line behind another one for the same instruction. */
const BEHIND_SECONDS = 1;

/** Namespace of the verification ids of lines: a retried line finds its own verification. */
const LINES = 'c1a3a1de-6a0c-5f4e-9a75-2f3f0b7d9c52';

/**
 * Verifies payment instructions in pages, like the single request. A line without an outcome waits; its retry finds the outcome. VALIDATE
 * calls no vendor.
 */
export function paymentLineKind(deps: PaymentLineDeps): LineKind<VerifiedLine> {
  const pages = openVerificationPages({ ...deps, paused: watchPausedVendors(deps.database) });
  const waiting = new WaitingLines();
  const verify = async (job: JobAtWork, lines: readonly VerifiedLine[], before: number): Promise<void> => {
    const toVerify: VerifiedLine[] = [];
    for (const line of lines) {
      if (line.refused) line.outcome = outcomeOfRefusal(line.refused);
      else if (waiting.isBehind(job, line)) line.outcome = { kind: 'waits', seconds: BEHIND_SECONDS };
      else toVerify.push(line);
    }
    const requests = toVerify.map((line) => requestOfLine(job, line, deps.log));
    const replies = await pages.verify(
      requests.map((request) => ({ request, importJobId: job.id, verificationId: uuidv5(request.requestId, LINES) })),
      before,
    );
    for (const [n, line] of toVerify.entries()) {
      const reply = replies[n]!;
      line.outcome = isRefused(reply) ? outcomeOfRefusal(reply) : outcomeOfReply(reply);
    }
    for (const line of lines) waiting.note(job, line, line.outcome?.kind === 'waits');
  };
  return {
    prepare: async (job, lines, yieldToEventLoop) => {
      const read: VerifiedLine[] = [];
      for (const line of lines) {
        read.push(readLineOfJob(job, line));
        await yieldToEventLoop();
      }
      if (job.goal === 'VALIDATE') return read;
      const before = performance.now() + paymentPageBudget.pageMs;
      // The last line for an instruction wins, so lines for the same one keep their order.
      const groups = groupByTarget(read);
      for (let n = 0; groups.some((group) => group.length > n); n += 1) {
        await verify(
          job,
          groups.flatMap((group) => group.slice(n, n + 1)),
          before,
        );
      }
      return read;
    },
    write: async (em, job, prepared) => {
      const validation = validatePaymentInstruction({ ...deps, database: databaseWithin(em), bodyLimitBytes: 0 });
      const outcomes: LineOutcome[] = [];
      for (const line of prepared) {
        outcomes.push(line.outcome ?? (await outcomeOfLine(deps.log, job, line, validation)));
      }
      return outcomes;
    },
  };
}

/** Identifies the instruction that a line replaces: by account, supply point and type. Undefined for a line without a key. */
function targetOf({ key, body }: PreparedLine): string | undefined {
  if (key === undefined) return undefined;
  const { type, supply_point_identifier: point } = membersIn(body);
  return JSON.stringify([key, textOf(type).trim(), textOf(point).trim()]);
}

/** Groups lines by the instruction that they replace; each group keeps their order. */
function groupByTarget(lines: readonly VerifiedLine[]): VerifiedLine[][] {
  const groups = new Map<string | number, VerifiedLine[]>();
  for (const line of lines) {
    const id = targetOf(line) ?? line.line;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [line]);
    else group.push(line);
  }
  return [...groups.values()];
}

/** How long a line counts as waiting after its last attempt. Lines are retried every ten seconds; later another worker may have completed it. */
const WAITS_FOR_MS = 30_000;
const WAITING_MAX = 100_000;

/** Lines that wait for their vendor. Later lines for the same instruction, even on other pages, must not overtake them. */
class WaitingLines {
  readonly #first = new Map<string, { line: number; until: number }>();

  isBehind({ id }: JobAtWork, line: PreparedLine): boolean {
    const first = this.#first.get(`${id} ${targetOf(line)}`);
    return first !== undefined && first.line < line.line && Date.now() < first.until;
  }

  note(job: JobAtWork, line: PreparedLine, isWaiting: boolean): void {
    const target = targetOf(line);
    if (target === undefined || this.isBehind(job, line)) return;
    const id = `${job.id} ${target}`;
    if (!isWaiting) this.#first.delete(id);
    else {
      if (this.#first.size >= WAITING_MAX) this.#first.clear();
      this.#first.set(id, { line: line.line, until: Date.now() + WAITS_FOR_MS });
    }
  }
}
