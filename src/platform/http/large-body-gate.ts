import type { ServerResponse } from 'node:http';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** A body of more bytes is a large one. Nearly every account has less than 10 kB. */
export const LARGE_BODY_BYTES = 65_536;

const RETRY_SECONDS = 2;

/**
 * Limits large bodies in progress: a body of 1 MB takes many times its size in memory while it is processed. Small bodies
 * bypass it. One organisation gets at most half of the capacity, so that it cannot block all others.
 */
export interface LargeBodyGate {
  /**
   * Waits for room; it is given back when the request is answered or its client has gone.
   * @returns a rejection if no capacity became free in time
   */
  enter(response: ServerResponse, bytes: number, organisation: string): Promise<Refused | undefined>;
  /**
   * Reads one chunk of a large body in its own iteration of the event loop: otherwise up to 2 MB of each connection of a fast
   * client are read in one iteration.
   */
  takeChunk(take: () => void): void;
  /** Longest time from admission to the last byte; slower bodies are rejected, because others wait for the capacity. */
  readonly arrivesMs: number;
  /** Bytes that are admitted, and bodies that wait. */
  state(): { bytesInFlight: number; waiting: number; refused: number };
}

interface Waiting {
  bytes: number;
  organisation: string;
  admit(): void;
}

export interface LargeBodyGateOptions {
  /** Total bytes of large bodies in progress; a single body of any size is admitted. */
  roomBytes: number;
  /** Longest that a large body waits for capacity. */
  waitsMs: number;
  arrivesMs: number;
}

export function createLargeBodyGate({ roomBytes, waitsMs, arrivesMs }: LargeBodyGateOptions): LargeBodyGate {
  const room = createRoom(roomBytes);
  const waiting = new Set<Waiting>();
  let refused = 0;
  const admitWaiting = () => {
    for (const one of waiting) if (room.fits(one)) one.admit();
  };

  return {
    arrivesMs,
    takeChunk: onePerIteration(),
    state: () => ({ bytesInFlight: room.bytesInFlight(), waiting: waiting.size, refused }),
    enter: (response, bytes, organisation) =>
      new Promise((resolve) => {
        // The client has disconnected already; `close` is not emitted again.
        if (response.closed || response.destroyed) return resolve(undefined);
        let isIn = false;
        const leave = () => {
          clearTimeout(timeout);
          waiting.delete(one);
          if (isIn) room.change(organisation, -bytes);
          isIn = false;
          resolve(undefined);
          admitWaiting();
        };
        const one: Waiting = {
          bytes,
          organisation,
          admit: () => {
            clearTimeout(timeout);
            waiting.delete(one);
            isIn = true;
            room.change(organisation, bytes);
            resolve(undefined);
          },
        };
        const timeout = setTimeout(() => {
          refused += 1;
          resolve(
            refuse('service_unavailable', {
              detail: 'Too many large bodies are under way; send the same request again after the time in Retry-After.',
              retryAfterSeconds: RETRY_SECONDS,
            }),
          );
          leave();
        }, waitsMs);
        response.once('close', leave);
        if (room.fits(one)) one.admit();
        else waiting.add(one);
      }),
  };
}

/** Counts the admitted bytes of each organisation and of all. */
function createRoom(roomBytes: number) {
  const byOrganisation = new Map<string, number>();
  let bytesInFlight = 0;
  return {
    bytesInFlight: () => bytesInFlight,
    fits: ({ bytes, organisation }: Pick<Waiting, 'bytes' | 'organisation'>) => {
      const own = byOrganisation.get(organisation) ?? 0;
      return (bytesInFlight === 0 || bytesInFlight + bytes <= roomBytes) && (own === 0 || own + bytes <= roomBytes / 2);
    },
    change: (organisation: string, bytes: number) => {
      bytesInFlight += bytes;
      const own = (byOrganisation.get(organisation) ?? 0) + bytes;
      if (own === 0) byOrganisation.delete(organisation);
      else byOrganisation.set(organisation, own);
    },
  };
}

/** Runs tasks one after the other, each in its own iteration of the event loop. */
function onePerIteration(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  let isPlanned = false;
  const next = () => {
    waiting.shift()?.();
    isPlanned = waiting.length > 0;
    if (isPlanned) setImmediate(next);
  };
  return (work) => {
    waiting.push(work);
    if (!isPlanned) setImmediate(next);
    isPlanned = true;
  };
}
