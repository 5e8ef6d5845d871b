import { findAuditOf, type AuditEntryView } from '../../access/index.ts';
import { readEventsOfWave } from '../../events/index.ts';
import type { WaveForPerson } from '../../waves/index.ts';
import { eventTypes, type EventType } from '../../vocabulary/events.ts';
import { badge, count, link, moment } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { jobPath } from '../frame/paths.ts';

const SHOWN = 100;
/** An event within this time of an audited change with the same status reports that change. */
const SAME_CHANGE_MS = 5_000;

interface Entry {
  at: Date;
  words: Part;
}

/** What people and the run did with the wave, from the audit, its events and its jobs; newest first. */
export async function timelinePart({ view, jobs }: WaveForPerson, { database, may }: PageRequest): Promise<Html> {
  const audit = may('look') ? await findAuditOf(database.em(), [`waves/${view.wave_id}`], SHOWN) : [];
  const events = await readEventsOfWave(database, view.wave_id, SHOWN);
  const entries: Entry[] = [
    ...audit.map((entry) => ({ at: new Date(entry.at), words: auditWords(entry) })),
    ...events
      .filter((event) => !audit.some((entry) => isSameChange(entry, event)))
      .map(({ occurredAt, type }) => ({ at: occurredAt, words: eventWords(type) })),
    ...jobs.flatMap(jobEntries),
  ];
  entries.sort((one, other) => other.at.getTime() - one.at.getTime());
  return html`<section>
    <h2 id="timeline">${t('Timeline')}</h2>
    <ol class="timeline">
      ${entries.slice(0, SHOWN).map(({ at, words }) => html`<li>${moment(at)} ${words}</li>`)}
    </ol>
  </section>`;
}

function isSameChange({ at, after }: AuditEntryView, event: { type: string; occurredAt: Date }): boolean {
  const status = (after as { status?: string } | null)?.status?.toLowerCase();
  const isNear = Math.abs(new Date(at).getTime() - event.occurredAt.getTime()) < SAME_CHANGE_MS;
  return isNear && status !== undefined && event.type === `import.wave.${status}.v1`;
}

/** The action without its prefix, the person, counted accounts and the reason. */
function auditWords({ action, actor, before, after, reason }: AuditEntryView): Html {
  if (action === 'wave.plan_changed') {
    return html`${badge(t('plan changed'))} ${actor.name} <small>${planChanges(before, after)}</small>
      <small>“${reason}”</small>`;
  }
  const counts = Object.entries((after ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    typeof value === 'number' ? [`${count(value)} ${translated(name)}`] : [],
  );
  return html`${badge(translated(action.replace(/^wave\./, '').replaceAll('_', ' ')))} ${actor.name}
  ${counts.length > 0 && html`<small>${counts.join(', ')}</small>`}
  ${reason !== null && html`<small>“${reason}”</small>`}`;
}

/** Changed members with their values: `create_until: … → …`. */
function planChanges(before: unknown, after: unknown): string {
  const [was, is] = [before, after].map((values) => (values ?? {}) as Record<string, unknown>);
  const words = (value: unknown) =>
    value === null || value === undefined ? t('none') : typeof value === 'string' ? value : JSON.stringify(value);
  return Object.keys(is!)
    .filter((name) => name !== 'status')
    .map((name) => `${name.replace(/^\w+\./, '')}: ${words(was![name])} → ${words(is![name])}`)
    .join(', ');
}

function eventWords(type: EventType): Html {
  const name = type.replace(/^import\.wave\./, '').replace(/\.v\d+$/, '');
  return html`${badge(translated(name.replace('_', ' ')), name === 'created' ? 'good' : name === 'paused' ? 'warn' : 'plain')}
  ${translated(eventTypes[type])}`;
}

function jobEntries({ id, kind, goal, startedAt, endedAt, succeeded, failed }: WaveForPerson['jobs'][number]): Entry[] {
  const job = link(jobPath(id), `${kind}, ${goal}`);
  const started = startedAt === null ? [] : [{ at: startedAt, words: html`${t('Job started: {job}', { job })}` }];
  if (endedAt === null) return started;
  const words = html`${t('Job ended: {job}', { job })}
    <small>${t('{succeeded} succeeded, {failed} failed', { succeeded, failed })}</small>`;
  return [...started, { at: endedAt, words }];
}
