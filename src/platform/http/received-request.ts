import type { Context } from 'koa';
import type { Log } from '../log.ts';
import type { EventLoopScheduler } from './event-loop-scheduler.ts';
import type { AuthenticatedRequest, Caller } from './route.ts';
import type { StreamedBody } from './streamed-body.ts';

/** What a route is given of a request; what few routes ask for is made when they do. */
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
  /** There before any route that needs a token is called; a public one does not see it. */
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

  get requestId(): string {
    return this.#ctx.state['requestId'] as string;
  }

  get yieldToEventLoop(): () => Promise<void> {
    return async () => {
      await this.#scheduler.take(true);
    };
  }

  get hungUp(): () => AbortSignal {
    return () => hangUpSignal(this.#ctx);
  }
}

/** A signal that is aborted when the client closes the connection before it was answered. */
export function hangUpSignal(ctx: Context): AbortSignal {
  const controller = new AbortController();
  const note = () => {
    if (!ctx.res.writableFinished) controller.abort();
  };
  // The client may have gone while its token was checked and its body read.
  if (ctx.res.closed) note();
  else ctx.res.once('close', note);
  return controller.signal;
}
