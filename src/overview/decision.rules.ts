import type { StuckCount } from '../platform/work-items/work-failure.store.ts';
import type { PauseReason } from '../vocabulary/import-jobs.ts';
import type { Overview } from './overview.schema.ts';

/** A job or a wave that waits for a person. */
interface WaitingItem {
  id: string;
  name: string;
  since: Date | null;
}

/** Something that waits until a person decides. */
export interface Decision {
  /** `canary`, `paused_job`, `approval`, `paused_wave`, or a cause of stuck work. */
  kind: string;
  count: number;
  oldest: Date | null;
  /** The item, if there is only one. */
  only: WaitingItem | undefined;
}

/** Pauses that end without a person. */
const ENDS_ALONE = new Set<PauseReason | null>(['outside_window']);

/** What waits for a person: jobs, waves and stuck work. */
export function decisionsOf(
  jobs: readonly (WaitingItem & { pausedBecause: PauseReason | null })[],
  waves: readonly (WaitingItem & { isPaused: boolean })[],
  stuck: readonly StuckCount[],
): Decision[] {
  const waiting = jobs.filter(({ pausedBecause }) => !ENDS_ALONE.has(pausedBecause));
  const [canaries, paused] = [true, false].map((is) =>
    waiting.filter(({ pausedBecause }) => (pausedBecause === 'canary') === is),
  );
  return [
    ...ofItems('canary', canaries),
    ...ofItems(
      'approval',
      waves.filter(({ isPaused }) => !isPaused),
    ),
    ...ofItems('paused_job', paused),
    ...ofItems(
      'paused_wave',
      waves.filter(({ isPaused }) => isPaused),
    ),
    ...stuck
      .filter(({ party }) => party === 'operator')
      .map(({ cause, count, oldest }) => ({ kind: cause, count, oldest, only: undefined })),
  ];
}

function ofItems(kind: string, items: readonly WaitingItem[] = []): Decision[] {
  const [first] = items;
  if (first === undefined) return [];
  const times = items.flatMap(({ since }) => (since === null ? [] : since.getTime()));
  const oldest = times.length === 0 ? null : new Date(Math.min(...times));
  return [{ kind, count: items.length, oldest, only: items.length === 1 ? first : undefined }];
}

type PartyHealth = Overview['parties'][number];

/** The state of a party, from its last answer and failure. */
export function partyStateOf({
  answered_at: answered,
  failed_at: failed,
  rests_until: rests,
}: Pick<PartyHealth, 'answered_at' | 'failed_at' | 'rests_until'>): PartyHealth['state'] {
  if (rests !== null) return 'rests';
  if (failed !== null && (answered === null || failed > answered)) return 'fails';
  return answered === null ? 'not_asked' : 'answers';
}

/** The estimated end of pending lookups at a rate; undefined without an estimate. */
export function endAtRate(pending: number, perSecond: number, now: Date): Date | undefined {
  const end = new Date(now.getTime() + (pending / perSecond) * 1_000);
  return pending > 0 && perSecond > 0 && !Number.isNaN(end.getTime()) ? end : undefined;
}
