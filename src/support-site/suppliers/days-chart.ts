import type { AccountDayCount } from '../../account-import/index.ts';
import { dayAfter } from '../../platform/clock.ts';
import { CHART_HEIGHT, chartPath, count } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { calendarDay, t } from '../frame/language.ts';
import { nothing, table } from '../frame/parts.ts';

/** The smallest bar, in hundredths of the height. */
const LEAST = 2;
const SERIES = [
  ['known', 'Staged'],
  ['created', 'Created'],
  ['COMPLETED', 'Switched'],
  ['refused', 'Rejected'],
] as const;

/** Accounts by day that were staged, created, switched and rejected: a small chart each, with a table for screen readers. */
export function daysChart(counts: readonly AccountDayCount[], from: string, length: number): Html {
  const days = [from];
  while (days.length < length) days.push(dayAfter(days.at(-1)!));
  const of = (state: string, day: string) => counts.find((one) => one.state === state && one.day === day)?.count ?? 0;
  const used = SERIES.filter(([state]) => counts.some((one) => one.state === state));
  return html`<section class="card">
    <h2>${t('The last {count} days', { count: length })}</h2>
    ${used.length === 0 && nothing(t('Nothing was counted in these days.'))}
    ${used.map(([state, name]) => {
      const values = days.map((day) => of(state, day));
      const most = Math.max(...values);
      const total = values.reduce((sum, one) => sum + one, 0);
      const busiest = days[values.indexOf(most)]!;
      return html`<figure class="days">
        <figcaption>
          ${t(name)} <strong>${count(total)}</strong>
          <small>${t('most: {most} on {day}', { most, day: calendarDay(busiest) })}</small>
        </figcaption>
        <svg viewBox="0 0 ${length} ${CHART_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
          <path class="chart-grid" d="M0 ${CHART_HEIGHT}H${length}" />
          <path class="${state === 'refused' ? 'bar-bad' : 'chart-bars'}" d="${chartPath(values, LEAST)}" />
        </svg>
      </figure>`;
    })}
    ${
      used.length > 0 &&
      html`<div class="chart-axis" aria-hidden="true"><span>${calendarDay(from)}</span><span>${t('today')}</span></div>
        <details>
          <summary>${t('Numbers by day')}</summary>
          ${table(t('Accounts by day'), days.toReversed(), [
            [t('Day'), (day) => calendarDay(day), 'row'],
            ...used.map(([state, name]) => [t(name), (day: string) => count(of(state, day)), 'number'] as const),
          ])}
        </details>`
    }
  </section>`;
}
