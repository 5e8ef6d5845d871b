import pMap from 'p-map';
import { v5 as uuidv5 } from 'uuid';
import {
  createPaymentInstruction,
  judgePaymentInstruction,
  watchVendorRests,
  type PaymentInstructionDeps,
  type VendorRestWatch,
} from '../../payment-instructions/index.ts';
import { databaseWithin, type Database } from '../../platform/database/database.ts';
import type { TokenRoute } from '../../platform/http/route.ts';
import type { Log } from '../../platform/log.ts';
import { membersIn, textOf } from '../../vocabulary/loose-payload.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { JobAtWork, LineKind, LineOutcome } from './line-kind.rules.ts';
import { outcomeOfRefusal, outcomeOfReply } from './line-outcome.rules.ts';
import { outcomeOfLine, readLineOfJob, requestOfLine, type ReadLineOfJob } from './routed-line-kind.store.ts';

type PaymentLineDeps = Omit<PaymentInstructionDeps, 'bodyLimitBytes'> & { database: Database; log: Log };

/** A line, and what became of it; undefined where no vendor is to be asked. */
type VerifiedLine = ReadLineOfJob & { outcome?: LineOutcome };

/** Lines of one page that wait for their vendor at once; each vendor has a limit of its own besides. */
const AT_ONCE = 4;
/** Longest that a page waits for vendors: it holds a place that other jobs need too. What is not answered yet goes on by itself. */
const PAGE_PATIENCE_MS = 2_000;
/** Before a line is tried again that was not asked about: the patience of its page was spent, or its vendor is given a rest. */
const SPENT_SECONDS = 1;
const RESTING_SECONDS = 10;

/** The namespace of verifications that lines ask for: a line that comes back finds its own. */
const LINES = 'c1a3a1de-6a0c-5f4e-9a75-2f3f0b7d9c52';

/** What the lines of a page share while vendors are asked. */
interface AskedPage {
  route: TokenRoute;
  rests: VendorRestWatch;
  endsAt: number;
  /** Set once the key of the job has asked as often as it may for now. */
  throttledSeconds?: number;
}

/**
 * How payment instructions are done: by the operation itself, whose verification goes on as a run of its own and stores what
 * is verified. A line whose outcome is not there yet waits, and finds it the next time. VALIDATE asks no vendor.
 */
export function paymentLineKind(deps: PaymentLineDeps): LineKind<VerifiedLine> {
  const rests = watchVendorRests(deps.database);
  const settings = { ...deps.settings, PAYMENT_PATIENCE_MS: PAGE_PATIENCE_MS };
  const waiting = new WaitingLines();
  const verificationIdOf = (requestId: string) => uuidv5(requestId, LINES);
  const route = createPaymentInstruction({ ...deps, settings, verificationIdOf, bodyLimitBytes: 0 }, rests);
  return {
    prepare: async (job, lines, yieldToEventLoop) => {
      const read: VerifiedLine[] = [];
      for (const line of lines) {
        read.push(readLineOfJob(job, line));
        await yieldToEventLoop();
      }
      if (job.goal === 'VALIDATE') return read;
      const page: AskedPage = { route, rests, endsAt: Date.now() + PAGE_PATIENCE_MS };
      await pMap(
        groupsByPlace(read),
        async (group) => {
          // What is sent later replaces what was sent before.
          for (const line of group) {
            line.outcome = waiting.isBehind(job, line)
              ? { kind: 'waits', key: line.key, seconds: SPENT_SECONDS }
              : await verify(page, deps.log, job, line);
            waiting.note(job, line, line.outcome.kind === 'waits');
          }
        },
        { concurrency: AT_ONCE },
      );
      return read;
    },
    write: async (em, job, prepared) => {
      const judge = judgePaymentInstruction({ ...deps, database: databaseWithin(em), bodyLimitBytes: 0 });
      const outcomes: LineOutcome[] = [];
      for (const line of prepared) outcomes.push(line.outcome ?? (await outcomeOfLine(deps.log, job, line, judge)));
      return outcomes;
    },
    bodyOf: ({ body }) => body,
  };
}

/** What a line may replace: an instruction of one type, of an account or of one of its points. Undefined for one without a key. */
function placeOf({ key, body }: ReadLineOfJob): string | undefined {
  if (key === undefined) return undefined;
  const { type, supply_point_identifier: point } = membersIn(body);
  return JSON.stringify([key, textOf(type).trim(), textOf(point).trim()]);
}

/** The lines of a page by what they may replace, each in their order. */
function groupsByPlace(lines: readonly VerifiedLine[]): VerifiedLine[][] {
  const groups = new Map<string | number, VerifiedLine[]>();
  for (const line of lines) {
    const id = placeOf(line) ?? line.line;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [line]);
    else group.push(line);
  }
  return [...groups.values()];
}

/** So long a line is taken to wait after it was last tried, which it is every ten seconds: another worker may have done it meanwhile. */
const WAITS_FOR_MS = 30_000;
const WAITING_MAX = 100_000;

/** Lines that wait for their vendor: later ones that would replace the same, also those of other pages, are not to overtake them. */
class WaitingLines {
  readonly #first = new Map<string, { line: number; until: number }>();

  isBehind({ jobId }: JobAtWork, one: ReadLineOfJob): boolean {
    const first = this.#first.get(`${jobId} ${placeOf(one)}`);
    return first !== undefined && first.line < one.line && Date.now() < first.until;
  }

  note(job: JobAtWork, one: ReadLineOfJob, isWaiting: boolean): void {
    const place = placeOf(one);
    if (place === undefined || this.isBehind(job, one)) return;
    const id = `${job.jobId} ${place}`;
    const { line } = one;
    if (!isWaiting) this.#first.delete(id);
    else {
      if (this.#first.size >= WAITING_MAX) this.#first.clear();
      this.#first.set(id, { line, until: Date.now() + WAITS_FOR_MS });
    }
  }
}

async function verify(page: AskedPage, log: Log, job: JobAtWork, line: ReadLineOfJob): Promise<LineOutcome> {
  const { key } = line;
  if (line.refused) return outcomeOfRefusal(line.refused, key);
  if (page.throttledSeconds !== undefined) return { kind: 'waits', key, seconds: page.throttledSeconds };
  if (Date.now() >= page.endsAt) return { kind: 'waits', key, seconds: SPENT_SECONDS };
  const vendor = textOf(membersIn(line.body)['vendor']).trim();
  if (await page.rests.isResting(vendor)) return { kind: 'waits', key, seconds: RESTING_SECONDS };
  const answer = await page.route.handle(requestOfLine(job, line, log));
  if (!isRefused(answer)) return outcomeOfReply(answer, key);
  const outcome = outcomeOfRefusal(answer, key);
  if (answer.code === 'throttled' && outcome.kind === 'waits') page.throttledSeconds = outcome.seconds;
  return outcome;
}
