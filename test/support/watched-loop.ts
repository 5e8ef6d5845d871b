import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { runInNewContext } from 'node:vm';

// Loaded into a process before its own code (`node --import`). At each SIGUSR2 it logs the behavior of the event loop
// and the memory since the last line. A blocked event loop is reported as time, which other programs of the machine
// increase, and as processor time of this thread, which they do not.

/** The contents of a log line. */
export interface WatchedLoop {
  /** Longest time between two iterations of the event loop, above the check interval. */
  longestMs: number;
  /** Highest processor time of the thread between two checks. */
  longestCpuMs: number;
  /** Heap and buffers: the peak above the values of the last line, and what remains above them after a garbage collection. */
  peakMb: number;
  keptMb: number;
  residentMb: number;
}

const CHECK_EVERY_MS = 5;
const GIVEN_BACK_MS = 300;
const [BYTES_OF_MB, MICROSECONDS_OF_MS] = [1_048_576, 1_000];

if (isMainThread) watch();

function watch(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let [longestMs, longestCpuMs, peak] = [0, 0, 0];
  let [lookedAt, cpuAt] = [performance.now(), cpuMs()];
  let baseline = used();
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - lookedAt - CHECK_EVERY_MS);
    longestCpuMs = Math.max(longestCpuMs, cpuMs() - cpuAt);
    peak = Math.max(peak, used());
    [lookedAt, cpuAt] = [performance.now(), cpuMs()];
  };
  let looking = setInterval(look, CHECK_EVERY_MS).unref();
  process.on('SIGUSR2', () => {
    look();
    clearInterval(looking);
    collect();
    // Collected memory is partly released a little later.
    setTimeout(() => {
      collect();
      const before = baseline;
      baseline = used();
      const line: WatchedLoop = {
        longestMs: Math.round(longestMs),
        longestCpuMs: Math.round(longestCpuMs),
        peakMb: mb(peak - before),
        keptMb: mb(baseline - before),
        residentMb: mb(process.memoryUsage.rss()),
      };
      process.stdout.write(`${JSON.stringify({ watchedLoop: line })}\n`);
      [longestMs, longestCpuMs, peak] = [0, 0, baseline];
      [lookedAt, cpuAt] = [performance.now(), cpuMs()];
      looking = setInterval(look, CHECK_EVERY_MS).unref();
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
