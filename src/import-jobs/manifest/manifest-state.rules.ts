import type { Manifest, ManifestKinds } from '../../manifest/manifest.schema.ts';
import { compareTotals, type TotalDifference } from '../../manifest/totals.rules.ts';
import {
  attachedKinds,
  type ImportJobKind,
  kindsBeforeCreation,
  type ManifestState,
} from '../../vocabulary/import-jobs.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';

export type { Manifest, ManifestKinds, TotalDifference };

/** Largest body of a request with a manifest. */
export const MANIFEST_BYTES_MAX = 1_048_576;

/**
 * How the records of a job compare with its manifest. `uncounted`: they are counted before they are imported; `counting`: they are
 * counted while they are validated.
 */
export type ManifestStep = ManifestState | 'uncounted';

/** The totals of a job so far. */
export interface CountedTotals {
  /** Lines whose records are in `received`. */
  counted: number;
  received: ManifestKinds | null;
  accepted: ManifestKinds | null;
}

/** A manifest with the differences that an operator accepted. */
export interface ComparedManifest {
  body: Manifest;
  acceptedDifferences: readonly TotalDifference[] | null;
}

/** The state of a manifest, and the totals that differ. */
export interface Comparison {
  state: ManifestStep;
  differences: TotalDifference[];
}

type JobOfManifest = Pick<ImportJobRecord, 'kind' | 'goal' | 'accepted' | 'judged'>;

/**
 * Compares the records of a job with its manifest, once all are counted. An import is compared before its first record, by all records,
 * and after its last one by those that it accepted.
 */
export function compareJob(
  job: JobOfManifest,
  { body, acceptedDifferences }: ComparedManifest,
  totals: CountedTotals,
): Comparison {
  const isBefore = job.goal === 'IMPORT' && job.judged < job.accepted;
  if (isBefore && totals.counted < job.accepted) return { state: 'uncounted', differences: [] };
  if (!isBefore && job.judged < job.accepted) return { state: 'counting', differences: [] };
  const differences = compareKinds(body, (isBefore ? totals.received : totals.accepted) ?? {}, [job.kind]);
  return { state: stateOf(differences, acceptedDifferences), differences };
}

/** Compares the totals of some kinds, numbers of records first and digests last. @param kinds by default all that the manifest has */
export function compareKinds(
  body: Manifest,
  received: ManifestKinds,
  kinds?: readonly ImportJobKind[],
): TotalDifference[] {
  return compareTotals(body, received, kinds).toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ path, difference }: TotalDifference): number {
  return path.endsWith('.records') ? 0 : difference === null ? 2 : 1;
}

/** The state of differences. Only exactly those that were accepted are. */
function stateOf(differences: readonly TotalDifference[], accepted: readonly TotalDifference[] | null): ManifestState {
  if (differences.length === 0) return 'agrees';
  return unaccepted(differences, accepted).length === 0 ? 'accepted' : 'differs';
}

/** The differences that no operator has accepted. */
export function unaccepted(
  differences: readonly TotalDifference[],
  accepted: readonly TotalDifference[] | null,
): TotalDifference[] {
  const known = new Set((accepted ?? []).map(keyOf));
  return differences.filter((difference) => !known.has(keyOf(difference)));
}

function keyOf({ path, expected, received }: TotalDifference): string {
  return JSON.stringify([path, expected, received]);
}

/** Which records of a wave have arrived. */
export interface ArrivedInWave {
  /** All uploads before the creation have ended. */
  isComplete: boolean;
  /** All accounts are created, and all jobs of attachments have ended. */
  isAttached: boolean;
}

/** How the records of a wave compare with its manifest, with the differences that no operator accepted. */
export interface WaveComparison extends Comparison {
  before: TotalDifference[];
  attached: TotalDifference[];
}

/** Compares the records of a wave with its manifest, as far as they have arrived. */
export function compareWave(
  { body, acceptedDifferences: accepted }: ComparedManifest,
  received: ManifestKinds,
  { isComplete, isAttached }: ArrivedInWave,
): WaveComparison {
  const before = isComplete ? compareKinds(body, received, kindsBeforeCreation) : [];
  const attached = isComplete && isAttached ? compareKinds(body, received, attachedKinds) : [];
  const differences = [...before, ...attached];
  return {
    state: isComplete ? stateOf(differences, accepted) : 'counting',
    differences,
    before: unaccepted(before, accepted),
    attached: unaccepted(attached, accepted),
  };
}

/** Differences in a sentence: the first one in full. */
export function describeDifferences(differences: readonly TotalDifference[]): string {
  const [first] = differences;
  if (first === undefined) return '';
  const { path, expected, received, difference } = first;
  const by = difference === null ? '' : ` (${difference.startsWith('-') ? '' : '+'}${difference})`;
  const more = differences.length - 1;
  const others = more === 0 ? '' : ` ${more} more ${more === 1 ? 'total differs' : 'totals differ'}.`;
  return `The records differ from the manifest: ${path} is ${received} instead of ${expected}${by}.${others}`;
}

/** The stored members of a manifest that responses show. */
interface ShownManifest {
  sha256: string;
  acceptedAt: Date | null;
  acceptedReason: string | null;
}

/** A compared manifest as responses show it. */
export interface ManifestView {
  sha256: string;
  state: ManifestState;
  differences: TotalDifference[];
  accepted_at: string | null;
  accepted_reason: string | null;
}

/** The view of a manifest with its comparison; null without a manifest. */
export function viewOfManifest(compared: (Comparison & { manifest: ShownManifest }) | undefined): ManifestView | null {
  if (compared === undefined) return null;
  const { manifest, state, differences } = compared;
  return {
    sha256: manifest.sha256,
    state: state === 'uncounted' ? 'counting' : state,
    differences,
    accepted_at: manifest.acceptedAt?.toISOString() ?? null,
    accepted_reason: manifest.acceptedReason,
  };
}
