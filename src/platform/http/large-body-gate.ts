import type { ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
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
   * Resolves for each chunk of a large body in its own iteration of the event loop. Otherwise up to 2 MB of each connection of a fast
   * client are read in one iteration.
   */
  nextChunk(): Promise<void>;
  /** Longest time from admission to the last byte. Slower bodies are rejected, because others wait for the capacity. */
  readonly arrivesMs: number;
  /** Admitted bytes, waiting bodies and refused bodies. */
  state(): { bytesInFlight: number; waiting: number; refused: number };
}

interface LargeBodyGateOptions {
  /** Total bytes of large bodies in progress. A body of any size is admitted if it is alone. */
  capacityBytes: number;
  /** Longest time that a large body waits for capacity. */
  waitsMs: number;
  arrivesMs: number;
}

export function createLargeBodyGate({ capacityBytes, waitsMs, arrivesMs }: LargeBodyGateOptions): LargeBodyGate {
  const byOrganisation = new Map<string, number>();
  const waiting = new Set<() => void>();
  let bytesInFlight = 0;
  let refused = 0;
  let lastChunk = Promise.resolve();
  const bytesOf = (organisation: string) => byOrganisation.get(organisation) ?? 0;
  const change = (organisation: string, bytes: number) => {
    bytesInFlight += bytes;
    byOrganisation.set(organisation, bytesOf(organisation) + bytes);
    if (bytesOf(organisation) === 0) byOrganisation.delete(organisation);
  };
  return {
    arrivesMs,
    nextChunk: () => (lastChunk = lastChunk.then(() => nextIteration())),
    state: () => ({ bytesInFlight, waiting: waiting.size, refused }),
    enter: (response, bytes, organisation) =>
      new Promise((resolve) => {
        // The client has already disconnected; `close` is not emitted again.
        if (response.closed || response.destroyed) return resolve(undefined);
        let isIn = false;
        const settle = (refusal?: Refused) => {
          clearTimeout(timeout);
          waiting.delete(admitIfFits);
          resolve(refusal);
        };
        const admitIfFits = () => {
          const own = bytesOf(organisation);
          if (bytesInFlight > 0 && bytesInFlight + bytes > capacityBytes) return;
          if (own > 0 && own + bytes > capacityBytes / 2) return;
          isIn = true;
          change(organisation, bytes);
          settle();
        };
        const timeout = setTimeout(() => {
          refused += 1;
          settle(tooManyBodies());
        }, waitsMs);
        response.once('close', () => {
          settle();
          if (isIn) change(organisation, -bytes);
          for (const admit of waiting) admit();
        });
        waiting.add(admitIfFits);
        admitIfFits();
      }),
  };
}

function tooManyBodies(): Refused {
  return refuse('service_unavailable', {
    detail: 'Too many large bodies are in progress. Send the same request again after the time in Retry-After.',
    retryAfterSeconds: RETRY_SECONDS,
  });
}
