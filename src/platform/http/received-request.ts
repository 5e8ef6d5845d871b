import type { Context } from 'koa';
import type { Log } from '../log.ts';
import type { Language } from '../../vocabulary/french.ts';
import { answerLanguage } from './answer-language.ts';
import type { EventLoopScheduler } from './event-loop-scheduler.ts';
import type { AuthenticatedRequest, Caller } from './route.ts';
import type { StreamedBody } from './streamed-body.ts';

/** A request as routes see it. Members that few routes need are created on demand. */
export class ReceivedRequest implements AuthenticatedRequest {
  readonly #ctx: Context;
  readonly #scheduler: EventLoopScheduler;
  readonly log: Log;
  body: unknown;
  sent?: Buffer;
  sentText?: string | undefined;
  isLarge = false;
  isPlain = false;
  stream?: StreamedBody;
  onceId?: string;
  /** Set before a route that needs a token is called; public routes must not use it. */
  caller!: Caller;

  constructor(ctx: Context, log: Log, scheduler: EventLoopScheduler) {
    this.#ctx = ctx;
    this.log = log;
    this.#scheduler = scheduler;
  }

  get params(): Readonly<Record<string, string>> {
    return (this.#ctx['params'] ?? {}) as Record<string, string>;
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#ctx.querystring);
  }

  get language(): Language {
    return answerLanguage(this.#ctx);
  }

  get requestId(): string {
    return this.#ctx.state['requestId'] as string;
  }

  get yieldToEventLoop(): () => Promise<void> {
    return async () => {
      await this.#scheduler.acquire(true);
    };
  }

  get hungUp(): () => AbortSignal {
    return () => hangUpSignal(this.#ctx);
  }
}

/** Returns a signal that is aborted if the client disconnects before it was answered. */
export function hangUpSignal(ctx: Context): AbortSignal {
  const controller = new AbortController();
  const note = () => {
    if (!ctx.res.writableFinished) controller.abort();
  };
  // The client may have disconnected during authentication or while the body was read.
  if (ctx.res.closed) note();
  else ctx.res.once('close', note);
  return controller.signal;
}
