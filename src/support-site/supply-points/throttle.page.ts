import { previewThrottle, setThrottle, speedIn, type ThrottlePreview } from '../../supply-points/index.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import type { SpeedEffect } from '../../supply-points/throttle/throttle.openapi.ts';
import { isNetworkOperator, networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { badge, count, fromNow, moment } from '../frame/cells.ts';
import { auditPart, table } from '../frame/parts.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { filterForm, form, reason } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accepted, done, handler, page, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, SUPPLY_POINTS, throttlePath } from '../frame/paths.ts';

const PATH = `${SUPPLY_POINTS}/throttle/:operator`;
const FIELDS = ['requests_per_second', 'requests_per_hour'] as const;

/** The speed of a network operator: a preview of its effect, then the change. */
export const throttlePages = [page(PATH, showThrottle), handler(PATH, 'throttle.set', saveThrottle)];

async function showThrottle(request: PageRequest): Promise<PageAnswer> {
  const { operator: name } = request.params;
  if (!isNetworkOperator(name)) return accepted(unknownNetworkOperator());
  const preview = accepted(await previewThrottle(request, name, request.query));
  const { blocked_until: blocked } = preview;
  const isAsked = FIELDS.some((field) => request.query.get(field));
  const body = html`${
    blocked !== null &&
    html`<p>
      ${badge('rate limited', 'warn')} The network operator asked for a pause. Next call:
      ${fromNow(blocked, request.now)}.
    </p>`
  }
  ${effectPart(preview, isAsked, request.now)}
  ${
    request.may('throttle.set') &&
    html`<div class="pair">${askForm(preview, name)} ${isAsked && confirmForm(preview, request, name)}</div>`
  }
  ${await auditPart(request, 'Changes of the speed', `network-operators/${name}/throttle`)}`;
  return { title: `Speed of ${networkOperatorTitles[name]}`, body };
}

async function saveThrottle(request: PageRequest): Promise<PageAnswer> {
  const { form: sent } = request;
  const at = throttlePath(request.params['operator'] ?? '');
  const { reason: given } = fieldsIn(sent);
  const body = { ...speedIn(sent), ...(given === undefined ? {} : { reason: given }) };
  // The speed when the page was shown.
  const [perSecond, perHour] = FIELDS.map((field) => Number(sent.get(`seen_${field}`) ?? NaN));
  const seen = { requests_per_second: perSecond!, requests_per_hour: perHour! };
  const saved = accepted(await setThrottle(request, { ...request, body }, seen));
  if (saved !== undefined) return done(at, 'The speed was set. It applies to all workers within a second.');
  return problem(
    addressOf(at, Object.fromEntries(FIELDS.map((field) => [field, sent.get(field)]))),
    'Nothing was changed, because someone else has just changed the speed. Check the effect and set it again.',
  );
}

/** The effect of the current speed and of the proposed one. */
function effectPart(preview: ThrottlePreview, isAsked: boolean, now: Date): Html {
  const { now: current, proposed, pending, open_batches: batches } = preview;
  const end = (at: string | null) => (at === null ? 'never' : moment(at, now));
  const rows: readonly (readonly [label: string, cell: (effect: SpeedEffect) => Part])[] = [
    ['Maximum calls per second', (effect) => count(effect.requests_per_second)],
    ['Maximum calls per hour', (effect) => count(effect.requests_per_hour)],
    [
      'Effective speed',
      ({ used_per_second: used }) => (used === 0 ? badge('lookups paused', 'warn') : `${used} per second`),
    ],
    ['End of a million lookups that start now', (effect) => end(effect.million_ends_at)],
    [`End of the ${count(pending)} pending lookups`, (effect) => (pending === 0 ? '–' : end(effect.pending_ends_at))],
  ];
  return html`${table('Effect of the speed', rows, [
      ['', ([label]) => label, 'row'],
      ['Current', ([, cell]) => cell(current)],
      isAsked && ['Proposed', ([, cell]) => cell(proposed)],
    ])}
    <p class="fine">
      ${batches} open ${batches === 1 ? 'batch' : 'batches'}. The times are the earliest possible: a network operator
      may respond more slowly. An identifier that is in several batches is requested once.
    </p>`;
}

function askForm({ proposed }: ThrottlePreview, name: string): Html {
  const [perSecond, perHour] = FIELDS;
  const number = { inputmode: 'decimal', required: true } as const;
  const hint = '0 pauses all lookups. The lower limit of the two applies; the effective speed stays slightly below it.';
  return filterForm({
    action: throttlePath(name),
    id: 'ask',
    title: 'New speed',
    fields: [
      { label: 'Maximum calls per second', name: perSecond, value: proposed[perSecond], ...number },
      { label: 'Maximum calls per hour', name: perHour, value: proposed[perHour], ...number, hint },
    ],
    button: 'Preview the effect',
    tone: 'quiet',
    look: 'narrow',
  });
}

function confirmForm({ now: seen, proposed }: ThrottlePreview, request: PageRequest, name: string): Html {
  return form(request, {
    action: throttlePath(name),
    title: 'Confirm',
    hidden: Object.fromEntries(
      FIELDS.flatMap((field) => [
        [field, proposed[field]],
        [`seen_${field}`, seen[field]],
      ]),
    ),
    fields: [
      html`<p>
        At most ${count(proposed.requests_per_second)} calls per second and ${count(proposed.requests_per_hour)} per
        hour.${proposed.used_per_second === 0 && ' No lookup is sent until the speed is set again.'}
      </p>`,
      reason(true),
    ],
    button: 'Set this speed',
  });
}
