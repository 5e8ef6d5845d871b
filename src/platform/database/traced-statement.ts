import { isTracing, traced } from '../traces/traces.ts';

/** The name of a prepared statement, or a single word such as `commit`. */
const NAME = /^[\w-]+$/;
/** Literals, which may contain data. */
const LITERALS = /'(?:[^']|'')*'/g;
const VERB = /^\s*(\w{1,20})/;
const TABLE = /\b(?:from|into|update)\s+"?([a-z_]{1,63})\b/i;
/** Length of the part of a statement that is read to classify it. */
const READ_MAX = 2_000;

/**
 * Sends a statement, as a span of the current trace if there is one.
 * @param text name of the statement, or its SQL; the span shows only verb and table of SQL
 */
export function tracedStatement<Answer>(text: string, send: () => Promise<Answer>): Promise<Answer> {
  if (!isTracing()) return send();
  return traced(() => {
    const name = statementName(text);
    return { name, kind: 'client', attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name } };
  }, send);
}

/** Name of the span of a statement. @param text a name, or SQL */
export function statementName(text: string): string {
  if (NAME.test(text)) return text;
  const bare = text.slice(0, READ_MAX).replaceAll(LITERALS, '');
  const verb = (VERB.exec(bare)?.[1] ?? 'sql').toLowerCase();
  const table = TABLE.exec(bare)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}
