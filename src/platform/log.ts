import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Lines are written when they reach this size, and at the latest after `LOG_FLUSH_MS`. */
const LOG_BYTES = 4_096;
const LOG_FLUSH_MS = 100;

/** One for all logs of a process: each would go on writing by the clock, also when it has nothing to write. */
let output: DestinationStream | undefined;

/**
 * Makes the process's logger: JSON lines on standard output.
 * Nothing personal is ever passed to it: no payload, no token, no number from a path.
 * @param options `ofEachLine` returns the fields that each line has in addition
 */
export function createLog(options: { level: string; process: string; ofEachLine?: () => object }): Log {
  const settings = {
    level: options.level,
    base: { process: options.process, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(options.ofEachLine ? { mixin: options.ofEachLine } : {}),
  };
  // Written asynchronously and in batches, so that a slow reader of the log delays no request: a write for each line costs
  // a tenth of what a small request does. Flushed when the process exits; a kill -9 loses the last lines.
  output ??= pino.destination({ fd: 1, sync: false, minLength: LOG_BYTES, periodicFlush: LOG_FLUSH_MS });
  return pino(settings, output);
}

/** What a log line keeps of an error. */
export interface LoggedFault {
  name: string;
  code?: string;
  /** The places in the code; without the message, which may quote a value that a client sent. */
  at?: string;
}

/** Kind, code and places of an error, for a log line; never its message. */
export function loggedFault(error: unknown): LoggedFault {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code } = error as { code?: unknown };
  const at = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim())
    .join(' < ');
  return { name: error.name, ...(typeof code === 'string' ? { code } : {}), ...(at ? { at } : {}) };
}
