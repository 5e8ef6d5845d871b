import { parisText } from '../../platform/clock.ts';
import type { Overview } from '../../overview/overview.schema.ts';
import { count } from '../frame/cells.ts';
import { table } from '../frame/parts.ts';
import { html, type Html } from '../frame/html.ts';

const MINUTE_MS = 60_000;
const HEIGHT = 100;
/** Minutes in one row of the table. */
const MINUTES_PER_ROW = 15;

/** Creations per minute as a chart, with a table for screen readers. */
export function creationsChart({ from, minutes }: Overview['creations'], readAt: string): Html {
  const first = new Date(from).getTime();
  const length = Math.floor((new Date(readAt).getTime() - first) / MINUTE_MS) + 1;
  const counts = Array.from({ length: Math.max(1, length) }, () => 0);
  for (const { minute, created } of minutes) {
    const place = Math.round((new Date(minute).getTime() - first) / MINUTE_MS);
    if (place >= 0 && place < counts.length) counts[place] = created;
  }
  const total = sumOf(counts);
  const most = Math.max(...counts);
  const title = `Accounts created per minute, ${timeOf(first)} to ${timeOf(first + counts.length * MINUTE_MS)} in France`;
  return html`<figure class="chart">
    <svg
      viewBox="0 0 ${counts.length} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-labelledby="chart-title chart-desc"
    >
      <title id="chart-title">${title}</title>
      <desc id="chart-desc">
        ${count(total)} in total, ${count(most)} in the busiest minute, ${count(counts.at(-1) ?? 0)} in the current
        minute.
      </desc>
      <path class="chart-grid" d="M0 ${HEIGHT / 2}H${counts.length}M0 ${HEIGHT}H${counts.length}" />
      <path class="chart-bars" d="${barsOf(counts, most)}" />
    </svg>
    <div class="chart-axis" aria-hidden="true">
      ${[0, 1 / 3, 2 / 3].map((share) => html`<span>${timeOf(first + share * counts.length * MINUTE_MS)}</span>`)}
      <span>now</span>
    </div>
    <figcaption class="fine">
      ${count(total)} created since ${timeOf(first)} in France. Busiest minute: ${count(most)}. The line in the middle
      marks ${count(Math.round(most / 2))}.
    </figcaption>
    <div class="unseen">${sums(counts, first)}</div>
  </figure>`;
}

/** One bar per minute; a minute with a creation is always visible. */
function barsOf(counts: readonly number[], most: number): string {
  return counts
    .map((created, place) => {
      if (created === 0) return '';
      const height = Math.max(1, Math.round((created / most) * HEIGHT));
      return `M${place}.1 ${HEIGHT}v-${height}h.8v${height}z`;
    })
    .join('');
}

function sums(counts: readonly number[], first: number): Html {
  const places = [...counts.keys()].filter((place) => place % MINUTES_PER_ROW === 0);
  return table(`Accounts created every ${MINUTES_PER_ROW} minutes`, places, [
    ['From', (place) => timeOf(first + place * MINUTE_MS)],
    ['Created', (place) => count(sumOf(counts.slice(place, place + MINUTES_PER_ROW)))],
  ]);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

function timeOf(ms: number): string {
  return parisText(new Date(ms)).slice(11, 16);
}
