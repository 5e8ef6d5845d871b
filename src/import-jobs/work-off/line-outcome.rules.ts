import { listOf, membersIn } from '../../vocabulary/loose-payload.ts';
import { refusals, type Refused } from '../../vocabulary/refusals.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import type { LineOutcome } from './line-kind.rules.ts';

/** Wait before a line is tried again whose refusal names no time. */
const RETRY_SECONDS = 30;

/** What the refusal of a single call means for a line: a caller who would send the same again waits instead. */
export function outcomeOfRefusal(refused: Refused, key: string | undefined): LineOutcome {
  const { code, violations = [], detail, retryAfterSeconds } = refused;
  const { retry, status } = refusals[code];
  return retry === 'same-request' || status === 429
    ? { kind: 'waits', key, seconds: retryAfterSeconds ?? RETRY_SECONDS }
    : { kind: 'failed', key, code, errors: violations, detail };
}

/** What the success of a single call means for a line. Its number is that of what was created: a business, or a payment instruction. */
export function outcomeOfReply({ body }: { body: unknown }, key: string | undefined): LineOutcome {
  const { service_business_id: businessId, reference, results } = membersIn(body);
  const number = businessId ?? reference;
  return {
    kind: 'succeeded',
    key,
    number: typeof number === 'number' || typeof number === 'string' ? String(number) : undefined,
    warnings: [
      ...warningsIn(membersIn(body)),
      ...listOf(body).flatMap(warningsIn),
      ...otherContent(listOf(results)),
      ...otherDocuments(body),
    ],
  };
}

/** The warnings of an answer, or of an item of one that is a list. */
function warningsIn(answer: unknown): readonly Warning[] {
  return listOf(membersIn(answer)['warnings']) as readonly Warning[];
}

/** Transactions that were there already, with other content: the single call tells them in its results. */
function otherContent(results: readonly unknown[]): Warning[] {
  return results.flatMap((result, index) => {
    const differs = listOf(membersIn(result)['differs']);
    return differs.length === 0
      ? []
      : [warning('known_with_other_content', ['transactions', index], `It differs in: ${differs.join(', ')}.`)];
  });
}

/** The same of notes, whose results are a list: documents that the note which is there does not have. */
function otherDocuments(body: unknown): Warning[] {
  return listOf(body).flatMap((result, index) => {
    const paths = listOf(membersIn(result)['document_paths']);
    const more = `${paths.length} of its documents were not added.`;
    return paths.length === 0 ? [] : [warning('known_with_other_content', ['notes', index, 'document_paths'], more)];
  });
}
