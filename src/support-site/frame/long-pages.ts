import type { Context } from 'koa';
import { isTransientError } from '../../platform/database/faults.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { isStream } from '../../platform/http/route.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** Long pages that are served at once: downloads, and counts over everything. */
const AT_ONCE_MAX = 4;
const RETRY_SECONDS = 10;
/** A download that nobody takes anything of ends after this. */
const IDLE_MS = 60_000;
/** On the response that a stream is sent by. */
const LISTENERS_OF_STREAM = 20;

/** Counts the long pages that are under way. */
export interface LongPages {
  /** Takes a place until the answer is sent or the person has gone; a refusal when all are taken. */
  enter(ctx: Context): Refused | undefined;
}

/** Makes the places for long pages of one process. */
export function createLongPages(): LongPages {
  let taken = 0;
  return {
    enter: (ctx) => {
      if (taken >= AT_ONCE_MAX) {
        return refuse('throttled', {
          detail: `${AT_ONCE_MAX} downloads and counts are under way, as many as the site does at once. Try again in a moment.`,
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      // Gone already: it would never give the place back.
      if (ctx.res.closed) return undefined;
      taken += 1;
      ctx.res.once('close', () => {
        taken -= 1;
      });
      return undefined;
    },
  };
}

/** Sends a file. One that is a stream is cut off when its source fails, and when nobody takes it any more. */
export function sendFile(
  ctx: Context,
  log: Log,
  { download, type, content }: { download: string; type: string; content: unknown },
): void {
  ctx.type = type;
  ctx.attachment(download);
  if (isStream(content)) {
    const { requestId, route } = ctx.state as { requestId: string; route: string };
    content.once('error', (error: { code?: string }) => {
      // The person has gone; the line of the request says so.
      if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      const level = isTransientError(error) ? 'warn' : 'error';
      log[level]({ requestId, route, fault: loggedFault(error) }, 'a download was cut off');
    });
    // Koa's pipeline adds several to those that tell when an answer has ended; Node would warn of a leak.
    ctx.res.setMaxListeners(LISTENERS_OF_STREAM);
    ctx.res.setTimeout(IDLE_MS, () => ctx.res.destroy());
  }
  ctx.body = content;
}
