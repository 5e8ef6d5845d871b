import { Readable, type Writable } from 'node:stream';
import type { Context } from 'koa';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { isTransientError } from '../database/faults.ts';
import { loggedFault, type Log } from '../log.ts';
import { createSlots, type Slots } from '../slots.ts';
import { hangUpSignal } from './received-request.ts';

/** Parts of a streamed response, in order. Each takes at most a few milliseconds to produce. */
export type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

export interface LongAnswerLimits {
  /** Maximum number of concurrent long responses in this process, and per caller. */
  perProcess: number;
  perCaller: number;
  /** Longest wait for a slot. */
  waitMs: number;
  /** A client that does not read a chunk within this time is disconnected. */
  unreadMs?: number;
}

/** Limits long responses: their number, and the time that each may occupy the event loop and wait for its client. */
export interface LongAnswers {
  /**
   * Runs the work for a long response in a slot. The slot is released once the response is closed and its source has ended, so that a
   * client that disconnects and retries does not get a second database connection.
   * @returns a refusal if no slot is free
   */
  run(ctx: Context, caller: string, work: () => Promise<void>): Promise<Refused | undefined>;
  /**
   * Streams a body as fast as the client reads it. Produces the first chunk before the head is sent.
   * @throws errors of the first pieces
   */
  send(ctx: Context, log: Log, pieces: Pieces): Promise<void>;
}

const CHUNK_BYTES = 65_536;
/** Longest time slice in which a stream produces pieces. */
const SLICE_MS = 5;
/** After this time of waiting for the database, another stream may produce its chunk. */
const SLICE_KEPT_MS = 100;
const UNREAD_MS = 30_000;
const WAITING_PER_CALLER = 20;
const RETRY_SECONDS = 10;
/** Koa's pipeline adds several listeners to a response; Node would warn of a leak. */
const RESPONSE_LISTENERS = 20;

export function createLongAnswers(limits: LongAnswerLimits): LongAnswers {
  const { perProcess, perCaller, waitMs, unreadMs = UNREAD_MS } = limits;
  const ofProcess = createSlots({ atOnce: perProcess, waitMs, waitingMax: perProcess * WAITING_PER_CALLER });
  const ofCaller = createSlots({ atOnce: perCaller, waitMs, waitingMax: WAITING_PER_CALLER });
  const slices = createSlots({ atOnce: 1, releaseAfterMs: SLICE_KEPT_MS });
  return {
    run: async (ctx, caller, work) => {
      const hungUp = hangUpSignal(ctx);
      const releaseCaller = await ofCaller.acquire(caller, hungUp);
      if (releaseCaller === undefined) {
        return tooMany(`You have ${perCaller} long responses in progress, which is the limit.`);
      }
      const releaseProcess = await ofProcess.acquire('', hungUp);
      if (releaseProcess === undefined) {
        releaseCaller();
        return tooMany('Too many long responses are in progress.');
      }
      const working = work();
      void ended(ctx, working).then(() => {
        releaseProcess();
        releaseCaller();
      });
      await working;
      return undefined;
    },
    send: async (ctx, log, pieces) => {
      const chunks = chunksOf(pieces, slices, hangUpSignal(ctx));
      const first = await chunks.next();
      const disconnect = () => ctx.res.destroy();
      const body = Readable.from(whileRead(first, chunks, { disconnect, unreadMs }), {
        objectMode: false,
        highWaterMark: 1,
      });
      body.once('error', (error: unknown) => logCutOff(ctx, log, error));
      body.once('end', () => {
        const timer = setTimeout(disconnect, unreadMs);
        ctx.res.once('close', () => clearTimeout(timer));
      });
      ctx.res.setMaxListeners(RESPONSE_LISTENERS);
      ctx.body = body;
    },
  };
}

function tooMany(reason: string): Refused {
  return refuse('throttled', {
    detail: `${reason} Finish reading one of them, or retry after the time in Retry-After.`,
    retryAfterSeconds: RETRY_SECONDS,
  });
}

async function ended(ctx: Context, working: Promise<void>): Promise<void> {
  await Promise.all([working.catch(() => undefined), closed(ctx.res)]);
  if (!(ctx.body instanceof Readable)) return;
  ctx.body.destroy();
  await closed(ctx.body);
}

function closed(stream: Writable | Readable): Promise<void> {
  return new Promise((resolve) => (stream.closed ? resolve() : stream.once('close', resolve)));
}

/** Joins and splits pieces into chunks. Only one stream of the process produces a chunk at a time. */
async function* chunksOf(pieces: Pieces, slices: Slots, hungUp: AbortSignal): AsyncGenerator<Buffer> {
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  try {
    for (let isOver = false; !isOver;) {
      const release = await slices.acquire('', hungUp);
      if (release === undefined) return;
      const made: Buffer[] = [];
      let bytes = 0;
      try {
        const until = performance.now() + SLICE_MS;
        do {
          const next = await source.next();
          isOver = next.done === true;
          if (next.done === true) break;
          const piece = Buffer.from(next.value);
          made.push(piece);
          bytes += piece.length;
        } while (bytes < CHUNK_BYTES && performance.now() < until);
      } finally {
        setImmediate(release);
      }
      const joined = made.length === 1 ? made[0]! : Buffer.concat(made, bytes);
      for (let at = 0; at < joined.length; at += CHUNK_BYTES) yield joined.subarray(at, at + CHUNK_BYTES);
    }
  } finally {
    await source.return?.();
  }
}

/** Passes chunks on, and disconnects a client that does not read one in time. */
async function* whileRead(
  first: IteratorResult<Buffer>,
  rest: AsyncGenerator<Buffer>,
  { disconnect, unreadMs }: { disconnect: () => void; unreadMs: number },
): AsyncGenerator<Buffer> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) {
      const timer = setTimeout(disconnect, unreadMs);
      try {
        yield next.value;
      } finally {
        clearTimeout(timer);
      }
    }
  } finally {
    await rest.return(undefined);
  }
}

/** Logs why a stream failed after the head was sent, because the response can only be cut off. */
function logCutOff(ctx: Context, log: Log, error: unknown): void {
  // The client disconnected; the access log shows it.
  if ((error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE') return;
  const { requestId, route } = ctx.state as { requestId: string; route: string };
  const level = isTransientError(error) ? 'warn' : 'error';
  log[level]({ requestId, route, fault: loggedFault(error) }, 'response cut off');
}
