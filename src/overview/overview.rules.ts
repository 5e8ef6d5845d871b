import type { Overview } from './overview.schema.ts';

type PartyHealth = Overview['parties'][number];

/** How a party does, in a word, from what was last heard of it. */
export function partyStateOf({
  answered_at: answered,
  failed_at: failed,
  rests_until: rests,
}: Pick<PartyHealth, 'answered_at' | 'failed_at' | 'rests_until'>): PartyHealth['state'] {
  if (rests !== null) return 'rests';
  if (failed !== null && (answered === null || failed > answered)) return 'fails';
  return answered === null ? 'not_asked' : 'answers';
}

/** When what is pending will be done at a rate; undefined where nobody can say. */
export function endAtRate(pending: number, perSecond: number, now: Date): Date | undefined {
  const end = new Date(now.getTime() + (pending / perSecond) * 1_000);
  return pending > 0 && perSecond > 0 && !Number.isNaN(end.getTime()) ? end : undefined;
}
