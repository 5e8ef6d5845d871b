import type { EntityManager } from '@mikro-orm/postgresql';
import { type Warning, warning } from '../../vocabulary/warnings.ts';
import type { Violation } from '../../vocabulary/violations.ts';
import { type RefusalCode, refusals, type Refused } from '../../vocabulary/refusals.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import type { LineFaultCode } from '../../vocabulary/import-jobs.ts';
import { listOf, membersIn } from '../../vocabulary/loose-payload.ts';

/** The members of a job that line kinds use. */
export type JobAtWork = Pick<
  ImportJobRecord,
  'id' | 'importSupplier' | 'organisation' | 'apiKeyId' | 'kind' | 'goal' | 'operationsTeam' | 'waveId'
>;

/** One line as it was uploaded, without its end of line. */
export interface Line {
  /** Counted from 1 over all parts. */
  line: number;
  bytes: Buffer;
}

/** A parsed line. Its kind adds what it needs to write the line. */
export interface PreparedLine {
  line: number;
  /** The length of the line. */
  bytes: number;
  /** The value; undefined if the line cannot be parsed. */
  body: unknown;
  /** See `RequestToCheck`. */
  isPlain: boolean;
  key: string | undefined;
  /** Set if the line is rejected before it is written. */
  refused: Refused | undefined;
}

/** The outcome of a line. `staged`: its account is created later; `waits`: the line is retried later. */
export type LineOutcome = { warnings?: readonly Warning[] } & (
  | { kind: 'succeeded'; number?: string | undefined }
  | { kind: 'staged'; revision: number }
  | {
      kind: 'failed';
      code: RefusalCode | LineFaultCode;
      errors: readonly Violation[];
      /** More specific than the sentence of the catalogue; set if no error names a field. */
      detail?: string | undefined;
    }
  | { kind: 'quarantined' }
  | { kind: 'waits'; seconds: number }
);

/** A line with its outcome, to be stored and counted. */
export interface FinishedLine extends Partial<Pick<PreparedLine, 'key' | 'body'>> {
  line: number;
  outcome: LineOutcome;
  /** Later lines of the job with the same key are duplicates. */
  claimsKey?: boolean;
}

/**
 * Processes the lines of a kind. `prepare` may take long, holds no lock and may be repeated; `write` runs in the transaction that also
 * stores the outcomes.
 */
export interface LineKind<Prepared extends PreparedLine = PreparedLine> {
  /** @param yieldToEventLoop awaited between lines, so that the process serves requests */
  prepare(job: JobAtWork, lines: readonly Line[], yieldToEventLoop: () => Promise<void>): Promise<Prepared[]>;
  /** @returns one outcome per line, in their order; for the goals VALIDATE and REHEARSE the caller rolls back all other writes */
  write(em: EntityManager, job: JobAtWork, prepared: readonly Prepared[]): Promise<LineOutcome[]>;
  /** A key may occur once per job: its first line claims it, with any outcome. */
  claimsKeys?: boolean;
}

/** Backoff of a line whose refusal has no `retryAfterSeconds`. */
const RETRY_SECONDS = 30;

/** Converts a refusal of the single request to an outcome. If the caller of a single request would retry, the line waits. */
export function outcomeOfRefusal({ code, violations = [], detail, retryAfterSeconds }: Refused): LineOutcome {
  const { retry, status } = refusals[code];
  return retry === 'same-request' || status === 429
    ? { kind: 'waits', seconds: retryAfterSeconds ?? RETRY_SECONDS }
    : { kind: 'failed', code, errors: violations, detail };
}

/** Converts a success of the single request to an outcome. `number` is the id of a created business or the reference of a payment instruction. */
export function outcomeOfReply({ body }: { body: unknown }): LineOutcome {
  const { service_business_id: businessId, reference, results } = membersIn(body);
  const number = businessId ?? reference;
  return {
    kind: 'succeeded',
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
