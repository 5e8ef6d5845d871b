import type { Words } from '../../vocabulary/french-site.ts';
import { dayAfter, parisDay, parisMidnight } from '../../platform/clock.ts';
import type { WaveView } from '../../waves/index.ts';
import { count, link } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { t, weekday } from '../frame/language.ts';
import { wavePath } from '../frame/paths.ts';

const WEEKS = 6;
const DAY_MS = 86_400_000;
const HALF_DAY_MS = DAY_MS / 2;
const DAYS_OF_WEEK: readonly Words[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Dates in France (`YYYY-MM-DD`) of the nights in which a wave is planned to be created. Hours before noon belong to the night before. */
export function plannedNights({ create_from: from, create_until: until }: WaveView['plan']): string[] {
  const end = until === null ? undefined : Date.parse(until) - HALF_DAY_MS;
  const begin = from === null ? end : Date.parse(from);
  if (begin === undefined) return [];
  const last = parisDay(new Date(Math.max(begin, end ?? begin)));
  const nights: string[] = [];
  for (let day = parisDay(new Date(begin)); day <= last && nights.length <= WEEKS * 7; day = dayAfter(day)) {
    nights.push(day);
  }
  return nights;
}

/** The planned nights of this week and the next five, as a calendar. */
export function nightCalendar(waves: readonly WaveView[], now: Date): Html {
  const byNight = new Map<string, WaveView[]>();
  for (const wave of waves) {
    for (const night of plannedNights(wave.plan)) byNight.set(night, [...(byNight.get(night) ?? []), wave]);
  }
  const today = parisDay(now);
  const days = daysFrom(today);
  const planned = days.filter((day) => byNight.has(day)).length;
  return html`<h2 id="calendar">${t('Planned nights')}</h2>
    <p class="fine">
      ${planned === 0 ? t('No creation is planned in these six weeks.') : t('{count} of these {nights} nights have planned creations.', { count: planned, nights: days.length })}
    </p>
    <div class="calendar-days" aria-hidden="true">${DAYS_OF_WEEK.map((name) => html`<span>${t(name)}</span>`)}</div>
    <ol class="calendar">
      ${days.map((day) => dayPart(day, byNight.get(day) ?? [], today))}
    </ol>`;
}

/** The days of whole weeks from Monday of this week. */
function daysFrom(today: string): string[] {
  const dayOfWeek = (new Date(`${today}T00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: WEEKS * 7 }, (_, index) =>
    new Date(Date.parse(`${today}T00:00Z`) + (index - dayOfWeek) * DAY_MS).toISOString().slice(0, 10),
  );
}

function dayPart(day: string, waves: readonly WaveView[], today: string): Html {
  const name = weekday(parisMidnight(day)).split(',', 1)[0];
  const look = [day === today && 'today', waves.length === 0 && 'empty', day < today && 'past']
    .filter(Boolean)
    .join(' ');
  return html`<li class="${look}">
    <time datetime="${day}">${name}</time>
    ${
      waves.length > 0 &&
      html`<ul>
        ${waves.map((wave) => html`<li>${link(wavePath(wave.wave_id), wave.name)} <small>${hoursOf(wave, day)} · ${count(wave.counts.accounts)}</small></li>`)}
      </ul>`
    }
  </li>`;
}

/** The planned hours that begin or end in a night. */
function hoursOf({ plan: { create_from: from, create_until: until } }: WaveView, night: string): string {
  const hour = (at: string) => weekday(new Date(at)).slice(-5);
  const begins = from !== null && parisDay(new Date(from)) === night;
  const ends = until !== null && parisDay(new Date(Date.parse(until) - HALF_DAY_MS)) <= night;
  if (begins && ends) return `${hour(from)}–${hour(until)}`;
  if (begins) return t('from {time}', { time: hour(from) });
  return ends && until !== null ? t('until {time}', { time: hour(until) }) : t('continues');
}
