import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Lines are written when they reach this size, or after `LOG_FLUSH_MS`. */
const LOG_BYTES = 4_096;
const LOG_FLUSH_MS = 100;

/** Shared by all logs of a process, because each destination has its own flush timer. */
let output: DestinationStream | undefined;

/**
 * Creates the process's logger: JSON lines on standard output. Never pass it personal data: no payload, token, or number from a path.
 * @param options `ofEachLine` returns additional fields of each line
 */
export function createLog(options: { level: string; process: string; ofEachLine?: () => object }): Log {
  const settings = {
    level: options.level,
    base: { process: options.process, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(options.ofEachLine ? { mixin: options.ofEachLine } : {}),
  };
  // Written asynchronously in batches, so that a slow reader of the log does not delay requests: writing each line separately costs a tenth
  // of a small request. Flushed when the process exits; a kill -9 loses the last lines.
  output ??= pino.destination({ fd: 1, sync: false, minLength: LOG_BYTES, periodicFlush: LOG_FLUSH_MS });
  return pino(settings, output);
}

/** The parts of an error that are logged. */
export interface LoggedFault {
  name: string;
  code?: string;
  /** Stack frames without the message, which may quote request data. */
  at?: string;
}

/** Returns name, code and stack frames of an error for logging, never its message. */
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
