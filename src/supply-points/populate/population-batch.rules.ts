import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Caller } from '../../platform/http/route.ts';
import { spreadsheetHint } from '../../vocabulary/spreadsheet-damage.ts';
import { violation, violationSentences, VIOLATIONS_LISTED_MAX, type Violation } from '../../vocabulary/violations.ts';
import { isPce, isPrm } from '../../vocabulary/wire-forms.ts';

/** The statuses of a batch. */
export const batchStatuses = ['IN_PROGRESS', 'COMPLETED', 'CANCELLED'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** Counts of a batch at one network operator; imported, errored and pending add up to accepted. */
export interface OperatorProgress {
  networkOperator: NetworkOperatorName;
  accepted: number;
  imported: number;
  errored: number;
  pending: number;
  /** Outcomes per second, recently. */
  ratePerSecond: number;
}

type Part = 'accepted' | 'imported' | 'pending' | 'errored';

/** Counts of a batch as the API shows them: by state, and by the lists of the request. */
type CountsOfBatch = Record<Part, { prm_ids: number; pce_ids: number }>;

/** Groups the progress of a batch as the API shows it. */
export function countsOf(progress: readonly OperatorProgress[]): CountsOfBatch {
  const at = (name: NetworkOperatorName, part: Part) =>
    progress.find(({ networkOperator }) => networkOperator === name)?.[part] ?? 0;
  const byList = (part: Part) => ({ prm_ids: at('enedis', part), pce_ids: at('grdf', part) });
  return {
    accepted: byList('accepted'),
    imported: byList('imported'),
    pending: byList('pending'),
    errored: byList('errored'),
  };
}

/** Outcomes per second at both network operators, rounded to two decimals. */
export function ratePerSecond(progress: readonly OperatorProgress[]): number {
  return Math.round(progress.reduce((sum, one) => sum + (one.pending > 0 ? one.ratePerSecond : 0), 0) * 100) / 100;
}

/** When the slower network operator will finish at its current rate; undefined while the rate is 0. */
export function estimatedEnd(progress: readonly OperatorProgress[], now: number): Date | undefined {
  const waiting = progress.filter(({ pending }) => pending > 0);
  if (waiting.length === 0 || waiting.some((one) => one.ratePerSecond < 0.000_1)) return undefined;
  return new Date(now + Math.max(...waiting.map((one) => one.pending / one.ratePerSecond)) * 1_000);
}

/** The response for a batch that does not exist or belongs to another organisation. */
export function unknownBatch(): Refused {
  return refuse('not_found', { detail: 'There is no population batch with this id.' });
}

/** Column values that make a lookup pending again. */
export const PENDING_AGAIN = {
  state: 'pending',
  errored_reason: null,
  tries: 0,
  deferred_at: null,
  due_at: null,
  completed_at: null,
} as const;

/** Deferred lookups of one network operator or one batch, for the details of its run. */
export interface DeferredSummary {
  /** At most 1,000. */
  count: number;
  nextAttemptAt: string;
  /** The most frequent failure. */
  cause: string;
}

/** The members that these rules read; they are not validated yet. */
interface Identifiers {
  prm_ids?: unknown;
  pce_ids?: unknown;
  import_supplier?: unknown;
}

/** Maximum identifiers in both lists together; the schema has the same maximum for each. */
const TOGETHER_MAX = 100_000;

/** Cross-field rules of operation 14: number and form of the identifiers, and the caller's access to the import supplier. */
export function findPopulateViolations(
  request: Identifiers,
  { importSuppliers }: Pick<Caller, 'importSuppliers'>,
): Violation[] {
  const [prms, pces] = [textsOf(request.prm_ids), textsOf(request.pce_ids)];
  const found = [...malformed(prms, 'prm_ids', isPrm), ...malformed(pces, 'pce_ids', isPce)];
  const together = prms.length + pces.length;
  if (together === 0) found.unshift(violation('empty', [], 'Send at least one identifier in prm_ids or pce_ids.'));
  if (together > TOGETHER_MAX) {
    found.unshift(
      violation(
        'max_length',
        [],
        `Both lists together may have at most ${TOGETHER_MAX} identifiers. Send the rest in another request.`,
      ),
    );
  }
  const { import_supplier: supplier } = request;
  const isStranger = typeof supplier === 'string' && supplier !== '' && !importSuppliers.has(supplier);
  if (isStranger) {
    found.unshift(
      violation('invalid_choice', ['import_supplier'], 'Your API key has no import supplier with this code.'),
    );
  }
  return found;
}

function malformed(
  identifiers: readonly unknown[],
  list: 'prm_ids' | 'pce_ids',
  isWellFormed: (text: string) => boolean,
): Violation[] {
  const found: Violation[] = [];
  for (let index = 0; index < identifiers.length && found.length <= VIOLATIONS_LISTED_MAX; index += 1) {
    const identifier = identifiers[index];
    if (typeof identifier === 'string' && !isWellFormed(identifier)) {
      const code = list === 'prm_ids' ? 'invalid_prm' : 'invalid_pce';
      found.push(violation(code, [list, index], violationSentences[code] + spreadsheetHint(identifier, 14)));
    }
  }
  return found;
}

function textsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The identifiers of a batch without repetitions. */
export interface WantedIdentifiers {
  prms: string[];
  pces: string[];
  warnings: BatchWarnings;
}

/** Warnings about a batch. A PRM and a PCE have the same form, so exchanged lists are detected only here. */
export interface BatchWarnings {
  /** Number of repeated identifiers; each is looked up once. */
  repeated: number;
  /** The number of identifiers in both lists, and the first of them. */
  in_both_lists: { count: number; identifiers: string[] };
}

const BOTH_LISTED_MAX = 100;

/** Removes repetitions and collects warnings. */
export function wantedOf(prmIds: readonly string[], pceIds: readonly string[]): WantedIdentifiers {
  const [prms, pces] = [new Set(prmIds), new Set(pceIds)];
  const both = [...prms].filter((identifier) => pces.has(identifier));
  return {
    prms: [...prms],
    pces: [...pces],
    warnings: {
      repeated: prmIds.length - prms.size + pceIds.length - pces.size,
      in_both_lists: { count: both.length, identifiers: both.slice(0, BOTH_LISTED_MAX) },
    },
  };
}
