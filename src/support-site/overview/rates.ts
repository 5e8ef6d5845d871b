import type { OverviewForPeople } from '../../overview/index.ts';
import { CHART_HEIGHT, chartPath, count } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { nothing } from '../frame/parts.ts';

const MINUTE_MS = 60_000;
/** Minutes of one bar. */
const MINUTES_PER_BAR = 5;
/** The smallest bar, in hundredths of the height. */
const LEAST = 6;

/** What is shown over time: values by minute, and what a bar is of them. */
interface Rate {
  name: string;
  /** The number beside the bars, with its unit. */
  words(bars: readonly number[]): string;
  of(values: readonly number[]): number;
  values: readonly { minute: Date; value: number }[];
}

/** Creations, rejections, lookups and switches of the last hours as bars; without those that did not happen. */
export function ratesPart({ creations, read_at: readAt, entered, lookups }: OverviewForPeople): Html {
  const first = Date.parse(creations.from);
  const bars = Math.ceil((Date.parse(readAt) - first + 1) / (MINUTES_PER_BAR * MINUTE_MS));
  const accounts = (name: string, state: (typeof entered)[number]['state']): Rate => ({
    name,
    of: sumOf,
    words: (all) => count(sumOf(all)),
    values: entered.filter((one) => one.state === state).map((one) => ({ minute: one.minute, value: one.entered })),
  });
  const all: readonly Rate[] = [
    accounts('Created', 'created'),
    accounts('Rejected', 'refused'),
    accounts('Switched', 'COMPLETED'),
    {
      name: 'Lookups',
      of: (values) => (values.length === 0 ? 0 : sumOf(values) / values.length),
      words: (values) => `${count(Math.round(values.at(-1) ?? 0))}/s`,
      values: lookups.map(({ minute, perSecond }) => ({ minute, value: perSecond })),
    },
  ];
  const shown = all
    .map((rate) => ({ rate, values: barsOf(rate, first, bars) }))
    .filter(({ values }) => values.some((value) => value > 0))
    .map(({ rate, values }) => rateRow(rate, values));
  if (shown.length === 0) return nothing('Nothing was created, rejected, switched or looked up.');
  return html`<dl class="rates">${shown}</dl>`;
}

function rateRow({ name, words }: Rate, values: readonly number[]): Html {
  const most = Math.max(...values);
  const label = `${name}: ${words(values)}. ${MINUTES_PER_BAR} minutes with most: ${count(Math.round(most))}, last ${MINUTES_PER_BAR} minutes: ${count(Math.round(values.at(-1) ?? 0))}.`;
  return html`<div>
    <dt>${name}</dt>
    <dd>
      <svg viewBox="0 0 ${values.length} ${CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
        <path class="chart-bars" d="${chartPath(values, LEAST)}" />
      </svg>
      <span class="number">${words(values)}</span>
    </dd>
  </div>`;
}

function barsOf({ values, of }: Rate, first: number, bars: number): number[] {
  const byBar = Map.groupBy(values, ({ minute }) =>
    Math.floor((minute.getTime() - first) / MINUTE_MS / MINUTES_PER_BAR),
  );
  return Array.from({ length: bars }, (_, place) => of((byBar.get(place) ?? []).map(({ value }) => value)));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
