import { causesOf, sqlStateOf } from './faults.ts';

/** Errors of writes whose response was lost; the write may have been executed. */
const lost = new WeakSet<object>();

/** The server ended the session; the outcome is unknown. */
const SESSION_ENDED = /^(?:08|57P)/;
/** Nothing was sent, because there was no connection. */
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
/** Recognizes writes by verb, or by the first word of this project's writing functions. */
const WRITES =
  /\b(?:insert|update|delete|merge|commit)\b|\b(?:attach|complete|delete|drop|erase|insert|lock|make_month|next|sequence|take)_\w+\(/i;

/**
 * Marks the error of a statement or commit that may have been executed: it writes, was sent, and its response was lost. Otherwise the
 * caller could repeat the write.
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

/** Whether a failed write may have been executed: the error or one of its causes was marked. */
export function isAnswerLost(error: unknown): boolean {
  return [...causesOf(error)].some((fault) => lost.has(fault));
}
