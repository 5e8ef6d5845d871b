import pMap from 'p-map';
import { v5 as uuidv5 } from 'uuid';
import {
  createPaymentInstruction,
  type PausedVendors,
  type PaymentInstructionDeps,
  validatePaymentInstruction,
  watchPausedVendors,
} from '../../payment-instructions/index.ts';
import { type Database, databaseWithin } from '../../platform/database/database.ts';
import type { TokenRoute } from '../../platform/http/route.ts';
import type { Log } from '../../platform/log.ts';
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

type PaymentLineDeps = Omit<PaymentInstructionDeps, 'bodyLimitBytes'> & { database: Database; log: Log };

/** A line and its outcome; without an outcome no vendor was called. */
type VerifiedLine = PreparedLine & { outcome?: LineOutcome };

/** Concurrent verifications of one page; each vendor has its own limit too. */
const CONCURRENT_LINES = 4;
/** Longest wait of a page for vendors, because it occupies an activity slot. Verifications without an answer continue as their own runs. */
const PAGE_TIMEOUT_MS = 2_000;
/** Backoff after a page timeout; `VENDOR_PAUSED_SECONDS` is the backoff while the vendor is paused. */
const TIMED_OUT_SECONDS = 1;
const VENDOR_PAUSED_SECONDS = 10;

/** Namespace of the verification ids of lines: a retried line finds its own verification. */
const LINES = 'c1a3a1de-6a0c-5f4e-9a75-2f3f0b7d9c52';

/** The state that the lines of a page share. */
interface VerifiedPage {
  route: TokenRoute;
  vendors: PausedVendors;
  endsAt: number;
  /** Set once the API key of the job has reached its limit of verifications. */
  throttledSeconds?: number;
}

/**
 * Processes payment instructions with the route of the single request, whose verification is a separate run that stores the instruction. A
 * line without an outcome waits; its retry finds the outcome. VALIDATE calls no vendor.
 */
export function paymentLineKind(deps: PaymentLineDeps): LineKind<VerifiedLine> {
  const vendors = watchPausedVendors(deps.database);
  const settings = { ...deps.settings, PAYMENT_TIMEOUT_MS: PAGE_TIMEOUT_MS };
  const waiting = new WaitingLines();
  const verificationIdOf = (requestId: string) => uuidv5(requestId, LINES);
  const route = createPaymentInstruction({ ...deps, settings, verificationIdOf, bodyLimitBytes: 0 }, vendors);
  return {
    prepare: async (job, lines, yieldToEventLoop) => {
      const read: VerifiedLine[] = [];
      for (const line of lines) {
        read.push(readLineOfJob(job, line));
        await yieldToEventLoop();
      }
      if (job.goal === 'VALIDATE') return read;
      const page: VerifiedPage = { route, vendors, endsAt: Date.now() + PAGE_TIMEOUT_MS };
      await pMap(
        groupByTarget(read),
        async (group) => {
          // The last line for an instruction wins, so lines keep their order.
          for (const line of group) {
            line.outcome = waiting.isBehind(job, line)
              ? { kind: 'waits', seconds: TIMED_OUT_SECONDS }
              : await verify(page, deps.log, job, line);
            waiting.note(job, line, line.outcome.kind === 'waits');
          }
        },
        { concurrency: CONCURRENT_LINES },
      );
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

async function verify(page: VerifiedPage, log: Log, job: JobAtWork, line: PreparedLine): Promise<LineOutcome> {
  if (line.refused) return outcomeOfRefusal(line.refused);
  if (page.throttledSeconds !== undefined) return { kind: 'waits', seconds: page.throttledSeconds };
  if (Date.now() >= page.endsAt) return { kind: 'waits', seconds: TIMED_OUT_SECONDS };
  const vendor = textOf(membersIn(line.body)['vendor']).trim();
  if (await page.vendors.isPaused(vendor)) return { kind: 'waits', seconds: VENDOR_PAUSED_SECONDS };
  const answer = await page.route.handle(requestOfLine(job, line, log));
  if (!isRefused(answer)) return outcomeOfReply(answer);
  const outcome = outcomeOfRefusal(answer);
  if (answer.code === 'throttled' && outcome.kind === 'waits') page.throttledSeconds = outcome.seconds;
  return outcome;
}
