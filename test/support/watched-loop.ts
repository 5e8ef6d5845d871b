import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { runInNewContext } from 'node:vm';

// Loaded into a process before its own code (`node --import`). At each SIGUSR2 it writes a line into the log: what the event loop
// and the memory did since the last one. A standstill is told in two ways: as time, which other programs of the machine add
// to, and as processor time of this thread, which they do not.

/** What one line holds. */
export interface WatchedLoop {
  /** Longest time between two turns of the event loop, above the interval of looking. */
  longestMs: number;
  /** Most processor time of the thread between two looks. */
  longestCpuMs: number;
  /** Heap and buffers: most above those of the last line; and what is kept above them after a collection. */
  peakMb: number;
  keptMb: number;
  residentMb: number;
}

const LOOK_EVERY_MS = 5;
const GIVEN_BACK_MS = 300;
const [BYTES_OF_MB, MICROSECONDS_OF_MS] = [1_048_576, 1_000];

if (isMainThread) watch();

function watch(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let [longestMs, longestCpuMs, peak] = [0, 0, 0];
  let [lookedAt, cpuAt] = [performance.now(), cpuMs()];
  let kept = used();
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - lookedAt - LOOK_EVERY_MS);
    longestCpuMs = Math.max(longestCpuMs, cpuMs() - cpuAt);
    peak = Math.max(peak, used());
    [lookedAt, cpuAt] = [performance.now(), cpuMs()];
  };
  let looking = setInterval(look, LOOK_EVERY_MS).unref();
  process.on('SIGUSR2', () => {
    look();
    clearInterval(looking);
    collect();
    // What a collection has found is in part given back a little later.
    setTimeout(() => {
      collect();
      const before = kept;
      kept = used();
      const line: WatchedLoop = {
        longestMs: Math.round(longestMs),
        longestCpuMs: Math.round(longestCpuMs),
        peakMb: mb(peak - before),
        keptMb: mb(kept - before),
        residentMb: mb(process.memoryUsage.rss()),
      };
      process.stdout.write(`${JSON.stringify({ watchedLoop: line })}\n`);
      [longestMs, longestCpuMs, peak] = [0, 0, kept];
      [lookedAt, cpuAt] = [performance.now(), cpuMs()];
      looking = setInterval(look, LOOK_EVERY_MS).unref();
    }, GIVEN_BACK_MS);
  });
}

function mb(bytes: number): number {
  return Math.round(bytes / BYTES_OF_MB);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS_OF_MS;
}

function used(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
