import type { ServerResponse } from 'node:http';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** Larger bodies are large ones. Nearly every account has less than 10 kB. */
export const LARGE_BODY_BYTES = 65_536;

const RETRY_SECONDS = 2;

/**
 * Limits the large bodies in progress: processing a body of 1 MB takes many times its size in memory. Small bodies bypass the gate. One
 * organization gets at most half of the capacity, so that it cannot block others.
 */
export interface LargeBodyGate {
  /**
   * Waits for capacity, which is released when the request is answered or its client disconnects.
   * @returns a refusal if no capacity became free in time
   */
  enter(response: ServerResponse, bytes: number, organisation: string): Promise<Refused | undefined>;
  /**
   * Reads each chunk of a large body in its own iteration of the event loop. Otherwise up to 2 MB of each connection of a fast client are
   * read in one iteration.
   */
  acceptChunk(accept: () => void): void;
  /** Longest time from admission to the last byte. Slower bodies are rejected, because others wait for the capacity. */
  readonly arrivesMs: number;
  /** Admitted bytes, waiting bodies and refused bodies. */
  state(): { bytesInFlight: number; waiting: number; refused: number };
}

interface Waiting {
  bytes: number;
  organisation: string;
  admit(): void;
}

export interface LargeBodyGateOptions {
  /** Total bytes of large bodies in progress. A body of any size is admitted if it is alone. */
  capacityBytes: number;
  /** Longest time that a large body waits for capacity. */
  waitsMs: number;
  arrivesMs: number;
}

export function createLargeBodyGate({ capacityBytes, waitsMs, arrivesMs }: LargeBodyGateOptions): LargeBodyGate {
  const capacity = trackCapacity(capacityBytes);
  const waiting = new Set<Waiting>();
  let refused = 0;
  const admitWaiting = () => {
    for (const one of waiting) if (capacity.fits(one)) one.admit();
  };

  return {
    arrivesMs,
    acceptChunk: onePerIteration(),
    state: () => ({ bytesInFlight: capacity.bytesInFlight(), waiting: waiting.size, refused }),
    enter: (response, bytes, organisation) =>
      new Promise((resolve) => {
        // The client has already disconnected; `close` is not emitted again.
        if (response.closed || response.destroyed) return resolve(undefined);
        let isIn = false;
        const leave = () => {
          clearTimeout(timeout);
          waiting.delete(one);
          if (isIn) capacity.change(organisation, -bytes);
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
            capacity.change(organisation, bytes);
            resolve(undefined);
          },
        };
        const timeout = setTimeout(() => {
          refused += 1;
          resolve(
            refuse('service_unavailable', {
              detail:
                'Too many large bodies are in progress. Send the same request again after the time in Retry-After.',
              retryAfterSeconds: RETRY_SECONDS,
            }),
          );
          leave();
        }, waitsMs);
        response.once('close', leave);
        if (capacity.fits(one)) one.admit();
        else waiting.add(one);
      }),
  };
}

/** Counts the admitted bytes of each organization and in total. */
function trackCapacity(capacityBytes: number) {
  const byOrganisation = new Map<string, number>();
  let bytesInFlight = 0;
  return {
    bytesInFlight: () => bytesInFlight,
    fits: ({ bytes, organisation }: Pick<Waiting, 'bytes' | 'organisation'>) => {
      const own = byOrganisation.get(organisation) ?? 0;
      return (
        (bytesInFlight === 0 || bytesInFlight + bytes <= capacityBytes) &&
        (own === 0 || own + bytes <= capacityBytes / 2)
      );
    },
    change: (organisation: string, bytes: number) => {
      bytesInFlight += bytes;
      const own = (byOrganisation.get(organisation) ?? 0) + bytes;
      if (own === 0) byOrganisation.delete(organisation);
      else byOrganisation.set(organisation, own);
    },
  };
}

/** Runs tasks in sequence, each in its own iteration of the event loop. */
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
