import { pino, type Logger } from 'pino';

export type Log = Logger;

/**
 * Makes the process's logger: JSON lines on standard output.
 * Nothing personal is ever passed to it: no payload, no token, no number from a path (design 8, promise S14).
 */
export function createLog(options: { level: string; process: string }): Log {
  const settings = { level: options.level, base: { process: options.process, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  // Written behind the requests, so that a slow reader of the log slows nobody; flushed when the process exits.
  return pino(settings, pino.destination({ fd: 1, sync: false }));
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
  const at = error.stack?.split('\n').filter((line) => line.startsWith('    at ')).map((line) => line.trim()).join(' < ');
  return { name: error.name, ...(typeof code === 'string' ? { code } : {}), ...(at ? { at } : {}) };
}
