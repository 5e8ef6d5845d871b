import type { WaveForPerson } from '../../waves/index.ts';
import { html, type Html } from '../frame/html.ts';
import { t, weekday } from '../frame/language.ts';
import { nothing } from '../frame/parts.ts';
import { planText } from './wave-parts.ts';

/** The width and height of the picture in units of its own view box. */
const WIDTH = 1000;
const HEIGHT = 64;

/** The creation of a wave in time, in milliseconds. */
interface PlanAndActual {
  plan: { from: number | undefined; until: number | undefined };
  /** Undefined before the creation starts. */
  actual: { from: number; until: number } | undefined;
  /** The end at the present rate, while accounts are created. */
  estimatedEnd: number | undefined;
}

/** The planned and the actual time of the creation of a wave. */
function planAndActual({ view, jobs }: WaveForPerson, now: Date): PlanAndActual {
  const { create_from: from, create_until: until } = view.plan;
  const creations = jobs.filter(({ selection, goal }) => selection === 'wave' && goal === 'CREATE');
  const starts = creations.flatMap(({ startedAt }) => startedAt?.getTime() ?? []);
  const isRunning = creations.some(({ startedAt, endedAt }) => startedAt !== null && endedAt === null);
  const ends = creations.flatMap(({ endedAt }) => endedAt?.getTime() ?? []);
  return {
    plan: { from: from === null ? undefined : Date.parse(from), until: until === null ? undefined : Date.parse(until) },
    actual:
      starts.length === 0
        ? undefined
        : { from: Math.min(...starts), until: isRunning ? now.getTime() : Math.max(...ends) },
    estimatedEnd: view.estimated_end_at === null ? undefined : Date.parse(view.estimated_end_at),
  };
}

/** Plan against actual as a picture, with the same in words below. */
export function planChart(wave: WaveForPerson, now: Date): Html {
  const times = planAndActual(wave, now);
  const { plan, actual, estimatedEnd } = times;
  const known = [plan.from, plan.until, actual?.from, actual?.until, estimatedEnd].filter((one) => one !== undefined);
  if (known.length === 0) return nothing(t('The creation has no planned time and has not started.'));
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const span = Math.max(last - first, 60_000);
  const x = (at: number) => ((at - first) / span) * WIDTH;
  const bar = (tone: string, y: number, from: number, until: number) =>
    html`<rect
      class="${tone}"
      x="${x(from).toFixed(1)}"
      y="${y}"
      width="${Math.max(3, x(until) - x(from)).toFixed(1)}"
      height="20"
    />`;
  const isOpen = wave.view.ended_at === null;
  const hasPlan = plan.from !== undefined || plan.until !== undefined;
  const words = sentences(wave, times);
  return html`<figure class="chart plan-chart">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="plan-title plan-desc">
      <title id="plan-title">${t('Planned and actual time of the creation')}</title>
      <desc id="plan-desc">${words}</desc>
      ${hasPlan && bar('plan-planned', 6, plan.from ?? first, plan.until ?? first + span)}
      ${estimatedEnd !== undefined && bar('plan-estimate', 38, actual?.from ?? now.getTime(), estimatedEnd)}
      ${actual !== undefined && bar(isLate(times) ? 'bar-bad' : 'bar-good', 38, actual.from, actual.until)}
      ${isOpen && now.getTime() >= first && now.getTime() <= first + span && html`<path class="plan-now" d="M${x(now.getTime()).toFixed(1)} 0V${HEIGHT}" />`}
    </svg>
    <div class="chart-axis" aria-hidden="true">
      <span>${weekday(new Date(first))}</span><span>${legend(hasPlan, isOpen)}</span
      ><span>${weekday(new Date(first + span))}</span>
    </div>
    <figcaption class="fine">${words}</figcaption>
  </figure>`;
}

function legend(hasPlan: boolean, isOpen: boolean): string {
  if (hasPlan) return isOpen ? t('upper: plan; lower: creation; line: now') : t('upper: plan; lower: creation');
  return isOpen ? t('lower: creation; line: now') : t('lower: creation');
}

function isLate({ plan, actual, estimatedEnd }: PlanAndActual): boolean {
  const end = estimatedEnd ?? actual?.until;
  return plan.until !== undefined && end !== undefined && end > plan.until;
}

/** Plan, start, end and estimate in words. */
function sentences({ view }: WaveForPerson, times: PlanAndActual): string {
  const { actual, estimatedEnd } = times;
  const { created, pending } = view.counts;
  const at = (ms: number) => weekday(new Date(ms));
  const isCreated = view.status === 'CREATED' || view.status === 'SIGNED_OFF';
  const begun = () => {
    if (actual === undefined) return t('The creation has not started.');
    const counted = { time: at(actual.from), created, all: created + pending };
    return isCreated
      ? t('Started {time}; {created} of {all} created by {end}.', { ...counted, end: at(actual.until) })
      : t('Started {time}; {created} of {all} created.', counted);
  };
  return [
    t('Plan: {plan}.', { plan: planText(view.plan) }),
    begun(),
    estimatedEnd !== undefined && t('Estimated end: {time}.', { time: at(estimatedEnd) }),
    isLate(times) && t('Later than planned.'),
  ]
    .filter(Boolean)
    .join(' ');
}
