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
} from './line-kind.rules.ts';
import { outcomeOfLine, readLineOfJob, type ReadLineOfJob, requestOfLine } from './routed-line-kind.store.ts';

type PaymentLineDeps = Omit<PaymentInstructionDeps, 'bodyLimitBytes'> & { database: Database; log: Log };

/** A line and its outcome; the outcome is undefined if no vendor is called. */
type VerifiedLine = ReadLineOfJob & { outcome?: LineOutcome };

/** Concurrent verifications of one page; each vendor has its own limit too. */
const CONCURRENT_LINES = 4;
/** Longest wait of a page for vendors, because it occupies an activity slot. Verifications without an answer continue as their own runs. */
const PAGE_TIMEOUT_MS = 2_000;
/** Backoff of a line whose page timed out, and of a line whose vendor is paused. */
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
 * Processes payment instructions with the operation itself, whose verification is a separate run that stores the instruction. A line
 * without an outcome waits and finds the outcome when it is retried. VALIDATE calls no vendor.
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
          // A later line replaces an earlier one, so the order matters.
          for (const line of group) {
            line.outcome = waiting.isBehind(job, line)
              ? { kind: 'waits', key: line.key, seconds: TIMED_OUT_SECONDS }
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
    bodyOf: ({ body }) => body,
  };
}

/** The instruction that a line replaces: by account, supply point and type. Undefined for a line without a key. */
function targetOf({ key, body }: ReadLineOfJob): string | undefined {
  if (key === undefined) return undefined;
  const { type, supply_point_identifier: point } = membersIn(body);
  return JSON.stringify([key, textOf(type).trim(), textOf(point).trim()]);
}

/** Groups lines by the instruction that they replace, in their order. */
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

/** How long a line counts as waiting after its last attempt (one every ten seconds); after that another worker may have completed it. */
const WAITS_FOR_MS = 30_000;
const WAITING_MAX = 100_000;

/** Lines that wait for their vendor, so that later lines for the same instruction, also of other pages, do not overtake them. */
class WaitingLines {
  readonly #first = new Map<string, { line: number; until: number }>();

  isBehind({ id }: JobAtWork, line: ReadLineOfJob): boolean {
    const first = this.#first.get(`${id} ${targetOf(line)}`);
    return first !== undefined && first.line < line.line && Date.now() < first.until;
  }

  note(job: JobAtWork, line: ReadLineOfJob, isWaiting: boolean): void {
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

async function verify(page: VerifiedPage, log: Log, job: JobAtWork, line: ReadLineOfJob): Promise<LineOutcome> {
  const { key } = line;
  if (line.refused) return outcomeOfRefusal(line.refused, key);
  if (page.throttledSeconds !== undefined) return { kind: 'waits', key, seconds: page.throttledSeconds };
  if (Date.now() >= page.endsAt) return { kind: 'waits', key, seconds: TIMED_OUT_SECONDS };
  const vendor = textOf(membersIn(line.body)['vendor']).trim();
  if (await page.vendors.isPaused(vendor)) return { kind: 'waits', key, seconds: VENDOR_PAUSED_SECONDS };
  const answer = await page.route.handle(requestOfLine(job, line, log));
  if (!isRefused(answer)) return outcomeOfReply(answer, key);
  const outcome = outcomeOfRefusal(answer, key);
  if (answer.code === 'throttled' && outcome.kind === 'waits') page.throttledSeconds = outcome.seconds;
  return outcome;
}
