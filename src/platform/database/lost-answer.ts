import { sqlStateOf } from './faults.ts';

/** What was written, and whose answer did not come: it may be done. */
const lost = new WeakSet<object>();

/** A server that ends a session says so whatever has become of the statement. */
const SESSION_ENDED = /^(?:08|57P)/;
/** Nothing was sent: there was no connection to send it on. */
const NOT_SENT_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EMFILE',
  'ENFILE',
]);
const NOT_SENT = /timeout exceeded when trying to connect|due to connection timeout|not queryable/i;
/** By its verbs, or by those that functions of ours which write begin with. */
const WRITES =
  /\b(?:insert|update|delete|merge|commit)\b|\b(?:attach|complete|delete|erase|insert|lock|next|sequence|take)_\w+\(/i;

/**
 * Notes of a statement that stands by itself, or of a commit, that its answer was lost, if it writes and was sent. The server may have
 * done it all the same: whoever is told that nothing was done would do it again.
 * @param text of the statement
 */
export function noteLostAnswer(text: string, error: unknown): void {
  if (typeof error !== 'object' || error === null || !mayWrite(text)) return;
  const sqlstate = sqlStateOf(error);
  if (sqlstate !== undefined && !SESSION_ENDED.test(sqlstate)) return;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (NOT_SENT_CODES.has(String(code)) || NOT_SENT.test(String(message))) return;
  lost.add(error);
}

/** Whether a statement may change something. */
export function mayWrite(text: string): boolean {
  return WRITES.test(text);
}

/** Tells that something may have been done although its work failed: the error, or one that caused it, was noted. */
export function isAnswerLost(error: unknown): boolean {
  for (let fault = error; typeof fault === 'object' && fault !== null; fault = (fault as { cause?: unknown }).cause) {
    if (lost.has(fault)) return true;
  }
  return false;
}
