import { listOf, membersIn } from '../../vocabulary/loose-payload.ts';
import { refusals, type Refused } from '../../vocabulary/refusals.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import type { LineOutcome } from './line-kind.rules.ts';

/** Backoff of a line whose refusal has no `retryAfterSeconds`. */
const RETRY_SECONDS = 30;

/** The outcome of a line by the refusal of a single request: refusals that a caller would retry make the line wait. */
export function outcomeOfRefusal(refused: Refused, key: string | undefined): LineOutcome {
  const { code, violations = [], detail, retryAfterSeconds } = refused;
  const { retry, status } = refusals[code];
  return retry === 'same-request' || status === 429
    ? { kind: 'waits', key, seconds: retryAfterSeconds ?? RETRY_SECONDS }
    : { kind: 'failed', key, code, errors: violations, detail };
}

/** The outcome of a line by the success of a single request. `number` is the id of a created business or the reference of a payment instruction. */
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

/** The warnings of a response, or of an item in it. */
function warningsIn(answer: unknown): readonly Warning[] {
  return listOf(membersIn(answer)['warnings']) as readonly Warning[];
}

/** Warnings for transactions that exist with other content, which the single request reports in its results. */
function otherContent(results: readonly unknown[]): Warning[] {
  return results.flatMap((result, index) => {
    const differs = listOf(membersIn(result)['differs']);
    return differs.length === 0
      ? []
      : [warning('known_with_other_content', ['transactions', index], `It differs in: ${differs.join(', ')}.`)];
  });
}

/** Warnings for notes that exist without some of the documents. */
function otherDocuments(body: unknown): Warning[] {
  return listOf(body).flatMap((result, index) => {
    const paths = listOf(membersIn(result)['document_paths']);
    const more = `${paths.length} of its documents were not added.`;
    return paths.length === 0 ? [] : [warning('known_with_other_content', ['notes', index, 'document_paths'], more)];
  });
}
