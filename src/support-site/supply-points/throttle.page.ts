import { previewThrottle, setThrottle, speedIn, type ThrottlePreview } from '../../supply-points/index.ts';
import { type Speed, unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import type { SpeedEffect } from '../../supply-points/throttle/throttle.openapi.ts';
import { isNetworkOperator, networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { addressOf, SUPPLY_POINTS, throttlePath } from '../frame/paths.ts';
import { badge, count, fromNow, moment, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { orderOf, type SteeringDeps } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/throttle/:operator`;
const FIELDS = ['requests_per_second', 'requests_per_hour'] as const;

/** The speed of a network operator: a preview of its effect, then the change. */
export function throttlePages(deps: SteeringDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showThrottle(deps, request) },
    { method: 'POST', path: PATH, action: 'throttle.set', show: (request) => saveThrottle(deps, request) },
  ];
}

async function showThrottle(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { operator: name } = request.params;
  if (!isNetworkOperator(name)) return unknownNetworkOperator();
  const preview = await previewThrottle(deps, name, request.query);
  if (isRefused(preview)) return preview;
  const isAsked = FIELDS.some((field) => request.query.get(field));
  const body = html`${blockedPart(preview, deps.clock.now())} ${effectPart(preview, isAsked, deps.clock.now())}
  ${request.may('throttle.set') && html`<div class="pair">${askForm(preview, name)} ${isAsked && confirmForm(preview, request, name)}</div>`}`;
  return { title: `Speed of ${networkOperatorTitles[name]}`, body };
}

async function saveThrottle(deps: SteeringDeps, request: PageRequest): Promise<PageAnswer> {
  const { reason } = orderOf(request).body as { reason?: string };
  const body = { ...speedIn(request.form), ...(reason === undefined ? {} : { reason }) };
  const done = await setThrottle(deps, { ...orderOf(request), body }, seenIn(request.form));
  if (isRefused(done)) return done;
  if (done === undefined) {
    const asked = Object.fromEntries(FIELDS.map((field) => [field, request.form.get(field)]));
    const changed =
      'Nothing was changed, because someone else has just changed the speed. Check the effect and set it again.';
    return {
      redirect: addressOf(throttlePath(request.params['operator'] ?? ''), asked),
      flash: { kind: 'problem', text: changed },
    };
  }
  const text = 'The speed was set. It applies to all workers within a second.';
  return { redirect: throttlePath(request.params['operator'] ?? ''), flash: { kind: 'done', text } };
}

/** The current speed when the page was shown. */
function seenIn(form: URLSearchParams): Speed {
  const [perSecond, perHour] = FIELDS.map((field) => Number(form.get(`seen_${field}`) ?? NaN));
  return { requests_per_second: perSecond!, requests_per_hour: perHour! };
}

function blockedPart({ blocked_until: blocked }: ThrottlePreview, now: Date): Html {
  if (blocked === null) return html``;
  return html`<p>
    ${badge('rate limited', 'warn')} The network operator asked for a pause. Next call: ${fromNow(blocked, now)}.
  </p>`;
}

/** The effect of the current speed and of the proposed one. */
function effectPart(
  { now: as, proposed, pending, open_batches: batches }: ThrottlePreview,
  isAsked: boolean,
  now: Date,
): Html {
  const shown: [string, SpeedEffect][] = [
    ['Current', as],
    ...(isAsked ? ([['Proposed', proposed]] as [string, SpeedEffect][]) : []),
  ];
  const row = (label: string, cell: (effect: SpeedEffect) => Html | string) =>
    html`<tr>
      <th scope="row">${label}</th>
      ${shown.map(([, effect]) => html`<td>${cell(effect)}</td>`)}
    </tr>`;
  const end = (at: string | null) => (at === null ? html`never` : html`${moment(at)}, ${fromNow(at, now)}`);
  return html`${table(
      'Effect of the speed',
      ['', ...shown.map(([label]) => label)],
      [
        row('Maximum calls per second', (effect) => count(effect.requests_per_second)),
        row('Maximum calls per hour', (effect) => count(effect.requests_per_hour)),
        row('Effective speed', (effect) =>
          effect.used_per_second === 0 ? badge('lookups paused', 'warn') : `${effect.used_per_second} per second`,
        ),
        row('End of a million lookups that start now', (effect) => end(effect.million_ends_at)),
        row(`End of the ${count(pending)} pending lookups`, (effect) =>
          pending === 0 ? '–' : end(effect.pending_ends_at),
        ),
      ],
    )}
    <p class="fine">
      ${batches} open ${batches === 1 ? 'batch' : 'batches'}. The times are the earliest possible: a network operator
      may respond more slowly. An identifier that is in several batches is requested once.
    </p>`;
}

function askForm({ proposed }: ThrottlePreview, name: string): Html {
  return html`<form class="narrow" method="get" action="${throttlePath(name)}">
    <h2>New speed</h2>
    <label for="per-second">Maximum calls per second</label>
    <input
      id="per-second"
      name="requests_per_second"
      inputmode="decimal"
      value="${proposed.requests_per_second}"
      required
    />
    <label for="per-hour">Maximum calls per hour</label>
    <input id="per-hour" name="requests_per_hour" inputmode="decimal" value="${proposed.requests_per_hour}" required />
    <p class="fine">
      0 pauses all lookups. The lower limit of the two applies; the effective speed stays slightly below it.
    </p>
    <button class="quiet">Preview the effect</button>
  </form>`;
}

function confirmForm({ now: seen, proposed }: ThrottlePreview, { formToken }: PageRequest, name: string): Html {
  return html`<form class="narrow" method="post" action="${throttlePath(name)}">
    <h2>Confirm</h2>
    ${formToken}<input type="hidden" name="requests_per_second" value="${proposed.requests_per_second}" />
    <input type="hidden" name="requests_per_hour" value="${proposed.requests_per_hour}" />
    ${FIELDS.map((field) => html`<input type="hidden" name="seen_${field}" value="${seen[field]}" />`)}
    <p>
      At most ${count(proposed.requests_per_second)} calls per second and ${count(proposed.requests_per_hour)} per
      hour.${proposed.used_per_second === 0 && ' No lookup is sent until the speed is set again.'}
    </p>
    <label for="reason">Reason</label>
    <input id="reason" name="reason" maxlength="1000" required />
    <button>Set this speed</button>
  </form>`;
}
