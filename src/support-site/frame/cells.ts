import { html, type Html, type Part } from './html.ts';
import { dateTime, numberText, t } from './language.ts';
import { accountPath } from './paths.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The width of a bar in units of its own view box. */
const BAR_UNITS = 1000;

/** A date and time in France, such as `28 Nov 2026, 14:03`, with UTC as the title; a dash without a time. @param now adds the distance from now */
export function moment(at: string | Date | null | undefined, now?: Date): Html {
  if (at === null || at === undefined) return html`<span class="none">–</span>`;
  const date = new Date(at);
  const time = html`<time datetime="${date.toISOString()}" title="${utcText(date)}">${dateTime(date)}</time>`;
  return now === undefined ? time : html`${time} <small>${distance(date, now)}</small>`;
}

/** The distance of a time from now in its largest unit, with both times as the title. */
export function fromNow(at: string | Date | null | undefined, now: Date): Html {
  if (at === null || at === undefined) return html`<span class="none">–</span>`;
  const date = new Date(at);
  const title = `${dateTime(date)} (${utcText(date)})`;
  return html`<time datetime="${date.toISOString()}" title="${title}">${distance(date, now)}</time>`;
}

function distance(date: Date, now: Date): string {
  const apart = date.getTime() - now.getTime();
  const time = inWords(Math.abs(apart));
  if (Math.abs(apart) < 1_000) return t('now');
  return apart > 0 ? t('in {time}', { time }) : t('{time} ago', { time });
}

function utcText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function inWords(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1_000)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return t('{days} d', { days: Math.floor(ms / DAY_MS) });
}

/** A number with separated thousands. */
export function count(value: number): string {
  return numberText(value);
}

/** A number of records in words. */
export function recordsText(records: number): string {
  return t(records === 1 ? '{count} record' : '{count} records', { count: records });
}

/** A text of at most so many characters. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)} ...` : text;
}

/** A number or code of a machine. */
export function code(text: Part): Html {
  return html`<code>${text}</code>`;
}

/** The end of an id. Ids begin with the time at which they were made, so that neighbors have the same beginning. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** A link within the site. */
export function link(address: string, words: Part): Html {
  return html`<a href="${address}">${words}</a>`;
}

/** An account by its import supplier and number. */
export function accountLink(supplier: string, external: string): Html {
  return link(accountPath(supplier, external), code(`${supplier}/${external}`));
}

/** A link to a page in the look of a button. */
export function buttonLink(address: string, words: Part, tone: 'plain' | 'quiet' = 'quiet'): Html {
  return html`<a class="${tone === 'quiet' ? 'button quiet' : 'button'}" href="${address}">${words}</a>`;
}

/** A card with a number and its name. */
export function figure(name: string, value: Part): Html {
  return html`<div class="card"><span class="figure">${value}</span> ${name}</div>`;
}

/** A state as a colored badge. */
export function badge(text: string, tone: 'plain' | 'good' | 'warn' | 'bad' = 'plain'): Html {
  return html`<span class="badge badge-${tone}">${text}</span>`;
}

export interface BarPart {
  value: number;
  tone: 'good' | 'bad' | 'warn' | 'plain' | 'accent';
}

/** A bar of parts of a whole. `label` describes it in words. */
export function bar(label: string, whole: number, parts: readonly BarPart[]): Html {
  let from = 0;
  const shown = parts.map(({ value, tone }) => {
    const width = whole <= 0 ? 0 : (Math.min(value, whole - from) / whole) * BAR_UNITS;
    const at = whole <= 0 ? 0 : (from / whole) * BAR_UNITS;
    from += Math.min(value, whole - from);
    return html`<rect class="bar-${tone}" x="${at.toFixed(1)}" width="${width.toFixed(1)}" height="10" />`;
  });
  return html`<svg
    class="bar"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${BAR_UNITS} 10"
    preserveAspectRatio="none"
  >
    ${shown}
  </svg>`;
}

/** The height of the view box of a chart with one bar per unit of width. */
export const CHART_HEIGHT = 100;

/** The path of a chart with one bar per value. @param least height of the bar of the smallest value, so that it is visible */
export function chartPath(values: readonly number[], least: number): string {
  const most = Math.max(...values);
  const bars = values.map((value, place) => {
    if (value === 0) return '';
    const height = Math.max(least, Math.round((value / most) * CHART_HEIGHT));
    return `M${place}.1 ${CHART_HEIGHT}v-${height}h.8v${height}z`;
  });
  return bars.join('');
}

/** A share as a bar beside its number; a share greater than 0 is always visible. */
export function shareBar(part: number, whole: number, tone: string): Html {
  const share = part <= 0 || whole <= 0 ? 0 : Math.max(1, Math.min(100, (part / whole) * 100));
  return html`<svg class="share ${tone}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="share-ground" width="100" height="8" />
    <rect class="share-part" width="${share.toFixed(1)}" height="8" />
  </svg>`;
}

/** A link to another site in a new window; only the words without an address. */
export function linkAway(address: string | undefined, words: Part, unlinked: Part = words): Html {
  return address === undefined
    ? html`${unlinked}`
    : html`<a href="${address}" target="_blank" rel="noreferrer">${words}</a>`;
}
