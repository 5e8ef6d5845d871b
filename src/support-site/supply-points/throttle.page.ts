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
    const changed = 'Nothing was changed: the speed was changed meanwhile. Check its effect and set it again.';
    return {
      redirect: addressOf(throttlePath(request.params['operator'] ?? ''), asked),
      flash: { kind: 'problem', text: changed },
    };
  }
  const text = 'The speed is set for all workers within a second.';
  return { redirect: throttlePath(request.params['operator'] ?? ''), flash: { kind: 'done', text } };
}

/** The current speed when the page was shown. */
function seenIn(form: URLSearchParams): Speed {
  const [perSecond, perHour] = FIELDS.map((field) => Number(form.get(`seen_${field}`) ?? NaN));
  return { requests_per_second: perSecond!, requests_per_hour: perHour! };
}

function blockedPart({ blocked_until: blocked }: ThrottlePreview, now: Date): Html {
  if (blocked === null) return html``;
  return html`<p>${badge('asked us to wait', 'warn')} The next request is possible ${fromNow(blocked, now)}.</p>`;
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
  const end = (at: string | null) => (at === null ? html`no end` : html`${moment(at)}, ${fromNow(at, now)}`);
  return html`${table(
      'Effect of the speed',
      ['', ...shown.map(([label]) => label)],
      [
        row('Most calls in a second', (effect) => count(effect.requests_per_second)),
        row('Most calls in an hour', (effect) => count(effect.requests_per_hour)),
        row('Used', (effect) =>
          effect.used_per_second === 0 ? badge('paused', 'warn') : `${effect.used_per_second} a second`,
        ),
        row('A million points that start now end', (effect) => end(effect.million_ends_at)),
        row(`${count(pending)} pending now end`, (effect) =>
          pending === 0 ? 'none pending' : end(effect.pending_ends_at),
        ),
      ],
    )}
    <p class="fine">
      ${batches} open ${batches === 1 ? 'batch' : 'batches'}. Ends are the earliest possible: network operators may be
      slower. An identifier in several batches is requested once.
    </p>`;
}

function askForm({ proposed }: ThrottlePreview, name: string): Html {
  return html`<form class="narrow" method="get" action="${throttlePath(name)}">
    <h2>New speed</h2>
    <label for="per-second">Most calls in a second</label>
    <input
      id="per-second"
      name="requests_per_second"
      inputmode="decimal"
      value="${proposed.requests_per_second}"
      required
    />
    <label for="per-hour">Most calls in an hour</label>
    <input id="per-hour" name="requests_per_hour" inputmode="decimal" value="${proposed.requests_per_hour}" required />
    <p class="fine">0 pauses. The lower of both is used, and a little less.</p>
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
      ${count(proposed.requests_per_second)} a second, ${count(proposed.requests_per_hour)} an
      hour${proposed.used_per_second === 0 && ': no request is sent until it is set again'}.
    </p>
    <label for="reason">Reason</label>
    <input id="reason" name="reason" maxlength="1000" required />
    <button>Set this speed</button>
  </form>`;
}
