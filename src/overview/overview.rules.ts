import type { Overview } from './overview.schema.ts';

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
