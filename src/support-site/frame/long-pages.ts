import type { Readable, Writable } from 'node:stream';
import type { Context } from 'koa';
import { isTransientError } from '../../platform/database/faults.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { isStream } from '../../platform/http/route.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import type { PageAnswer } from './page.ts';

/** Long pages that are served at once: downloads, and counts over everything. */
const AT_ONCE_MAX = 4;
/** Of these one person's, so that nobody keeps all the others from theirs. */
const OF_ONE_PERSON_MAX = 2;
const RETRY_SECONDS = 10;
/** A download that nobody takes anything of ends after this. */
const IDLE_MS = 60_000;
/** On the response that a stream is sent by. */
const LISTENERS_OF_STREAM = 20;

/** Counts the long pages that are under way. */
export interface LongPages {
  /**
   * Makes a long page, in a place of its own until the answer is sent or the person has gone, and what was read for it has ended:
   * who goes and comes again takes no connection besides.
   * @param subject the person who asks, whatever session that is by
   * @returns a refusal when all places are taken, or this person's
   */
  show(ctx: Context, subject: string, page: () => Promise<PageAnswer>): Promise<PageAnswer>;
}

/** Makes the places for long pages of one process. */
export function createLongPages(): LongPages {
  const taken: string[] = [];
  return {
    show: async (ctx, subject, page) => {
      const isPersonsShare = taken.filter((one) => one === subject).length >= OF_ONE_PERSON_MAX;
      if (isPersonsShare || taken.length >= AT_ONCE_MAX) {
        const detail = isPersonsShare
          ? `${OF_ONE_PERSON_MAX} of your downloads and counts are under way, as many as one person has at once. Let one end, then try again.`
          : `${AT_ONCE_MAX} downloads and counts are under way, as many as the site does at once. Try again in a moment.`;
        return refuse('throttled', { detail, retryAfterSeconds: RETRY_SECONDS });
      }
      taken.push(subject);
      const answer = page();
      void ended(ctx, answer).then(() => taken.splice(taken.indexOf(subject), 1));
      return answer;
    },
  };
}

async function ended(ctx: Context, page: Promise<PageAnswer>): Promise<void> {
  const [answer] = await Promise.all([page.catch(() => undefined), closed(ctx.res)]);
  const content = answer !== undefined && 'download' in answer ? answer.content : undefined;
  if (!isStream(content)) return;
  content.destroy();
  await closed(content);
}

function closed(stream: Writable | Readable): Promise<void> {
  return new Promise((resolve) => (stream.closed ? resolve() : stream.once('close', resolve)));
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
