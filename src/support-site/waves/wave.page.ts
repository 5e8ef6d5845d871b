import type { Words } from '../../vocabulary/french-site.ts';
import {
  acceptDifferencesOfWave,
  changePlan,
  excludeFromWave,
  moveAccounts,
  needsReason,
  readWaveForPerson,
  steerWaveAsOperator,
  type WaveForPerson,
  type WaveVerb,
} from '../../waves/index.ts';
import { isRefused, refusals, type Refused } from '../../vocabulary/refusals.ts';
import type { Reply } from '../../platform/http/route.ts';
import { count, figure, fromNow, link, moment } from '../frame/cells.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { html, type Html } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import {
  accepted,
  done,
  handler,
  invalid,
  page,
  polledPart,
  problem,
  type PageAnswer,
  type PageRequest,
} from '../frame/page.ts';
import { livePart } from '../frame/parts.ts';
import { addressOf, supplierPath, wavePath, WAVES } from '../frame/paths.ts';
import { manifestPart } from '../jobs/manifest-part.ts';
import { planBodyOf } from './plan-form.ts';
import { planChart } from './plan-chart.ts';
import { actionsPart, actionsShown } from './wave-actions.ts';
import {
  approvalPart,
  causesPart,
  funnelPart,
  gatesPart,
  headerPart,
  jobsPart,
  planText,
  waveBadge,
  waveBar,
} from './wave-parts.ts';
import { withdrawalsPart } from './wave-lists.page.ts';
import { timelinePart } from './wave-timeline.ts';

const WAVE = `${WAVES}/:wave`;

const DONE: Readonly<Record<WaveVerb, Words>> = {
  rehearse: 'The rehearsal was started.',
  'request-approval': 'Approval was requested. Another person has to decide.',
  'request-withdrawal-approval': 'Approval was requested. Another person has to decide.',
  approve: 'The request is approved.',
  decline: 'The request was declined.',
  create: 'The creation was requested.',
  pause: 'The wave is paused. Accounts in progress are completed within seconds.',
  resume: 'The wave was resumed.',
  cancel: 'The wave was canceled. Created accounts are kept.',
  'sign-off': 'The wave is signed off.',
};

/** The page of a wave, with the forms that change it. */
export const wavePages = [
  page(WAVE, showWave),
  polledPart(`${WAVE}/progress`, showProgress),
  ...(Object.keys(DONE) as WaveVerb[]).map((verb) =>
    handler(`${WAVE}/${verb}`, verb === 'approve' || verb === 'decline' ? 'wave.approve' : 'wave.steer', (request) =>
      steer(verb, request),
    ),
  ),
  handler(`${WAVE}/accept-differences`, 'manifest.accept', acceptDifferences),
  handler(`${WAVE}/exclude`, 'wave.steer', excludeFaulty),
  handler(`${WAVE}/move`, 'wave.steer', move),
  handler(`${WAVE}/change-plan`, 'wave.steer', changePlanByForm),
];

const read = async (request: PageRequest): Promise<WaveForPerson> =>
  accepted(await readWaveForPerson(request.database, request, request.actor));

async function showWave(request: PageRequest): Promise<PageAnswer> {
  const wave = await read(request);
  const actions = request.may('wave.steer') && html`<section id="actions">${actionsPart(wave, request)}</section>`;
  const body = html`<p>
      ${link(WAVES, t('All waves'))} ·
      ${link(addressOf(WAVES, { import_supplier: wave.view.import_supplier }), t('Waves of {supplier}', { supplier: wave.view.import_supplier }))}
    </p>
    ${await progressPart(wave, request)} ${actions} ${approvalPart(wave, request)} ${causesPart(wave, request)}
    ${headerPart(wave, request)} ${await timelinePart(wave, request)}`;
  return { title: wave.view.name, body };
}

/** The forms are sent only when other ones apply, so that a reason that is being typed is kept. */
async function showProgress(request: PageRequest): Promise<Html> {
  const wave = await read(request);
  const isSame = !request.may('wave.steer') || request.query.get('shown') === actionsShown(wave, request);
  return html`${await progressPart(wave, request)}
  ${!isSame && html`<section id="actions" hx-swap-oob="true">${actionsPart(wave, request)}</section>`}`;
}

/** Status, picture, gates, counts, jobs and withdrawals, which refresh. */
async function progressPart(wave: WaveForPerson, request: PageRequest): Promise<Html> {
  const { view } = wave;
  const { now } = request;
  const shown = encodeURIComponent(actionsShown(wave, request));
  const body = html`<p class="row">
      ${waveBadge(view)} <span>${link(supplierPath(view.import_supplier), view.import_supplier)}</span>
      <span>${t('Planned creation: {plan}', { plan: planText(view.plan) })}</span>
    </p>
    ${waveBar(view)}
    <div class="cards figures">
      ${figure(t('accounts'), count(view.counts.accounts))} ${figure(t('created'), count(view.counts.created))}
      ${figure(t('pending'), count(view.counts.pending))}
      ${view.accounts_per_second > 0 && figure(t('accounts per second'), count(Math.round(view.accounts_per_second)))}
      ${view.estimated_end_at !== null && figure(t('estimated end'), fromNow(view.estimated_end_at, now))}
    </div>
    <h2>${t('Plan and actual')}</h2>
    ${planChart(wave, now)}
    <div class="wave-overview">${gatesPart(wave)} ${funnelPart(wave)}</div>
    ${manifestPart(view.manifest)} ${jobsPart(wave, now)} ${await withdrawalsPart(wave, request)}
    <p class="fine">${t('As of {time}.', { time: moment(now) })}</p>`;
  const from = view.ended_at === null ? `${wavePath(view.wave_id)}/progress?shown=${shown}` : undefined;
  return livePart({ id: 'progress', from, everySeconds: 5 }, body);
}

async function steer(verb: WaveVerb, request: PageRequest): Promise<PageAnswer> {
  const { requested_at: seen, ...body } = fieldsIn(request.form);
  const at = pathOf(request);
  if (verb === 'cancel' && !needsReason(verb) && body['reason'] === undefined) invalid('Enter a reason.');
  if (seen !== undefined && (await read(request)).request?.requestedAt.toISOString() !== seen) {
    return problem(at, t('Nothing was changed: approval was requested again meanwhile. Check the new request.'));
  }
  return answerOf(await steerWaveAsOperator(request, verb, { ...request, body }), at, () => t(DONE[verb]));
}

async function acceptDifferences(request: PageRequest): Promise<PageAnswer> {
  const reply = await acceptDifferencesOfWave(request, { ...request, body: fieldsIn(request.form) });
  return answerOf(reply, pathOf(request), () => t('The differences are accepted.'));
}

async function excludeFaulty(request: PageRequest): Promise<PageAnswer> {
  const body = { faulty: true, ...fieldsIn(request.form) };
  const reply = await excludeFromWave(request.database, { ...request, body }, undefined);
  return answerOf(reply, pathOf(request), ({ excluded }) => t('{count} excluded.', { count: excluded ?? 0 }));
}

async function move(request: PageRequest): Promise<PageAnswer> {
  const { accounts = '', ...fields } = fieldsIn(request.form);
  const numbers = accounts.split(/\r?\n/).map((line) => line.trim());
  const body = { ...fields, accounts: [...new Set(numbers.filter(Boolean))] };
  const reply = await moveAccounts(request.database, { ...request, body }, undefined);
  return answerOf(reply, pathOf(request), ({ moved }) =>
    t('{count} of {all} moved.', { count: moved ?? 0, all: body.accounts.length }),
  );
}

async function changePlanByForm(request: PageRequest): Promise<PageAnswer> {
  const { plan_revision: seen = '', reason, ...fields } = fieldsIn(request.form);
  const { view } = await read(request);
  const body = { ...planBodyOf(view, fields), ...(reason !== undefined && { reason }) };
  const reply = await changePlan(request, { ...request, body }, undefined, Number(seen));
  return answerOf(reply, pathOf(request), ({ changed = [], approval_ended: hasEnded }) => {
    if (changed.length === 0) return t('Nothing was changed: the plan has these values.');
    return hasEnded ? t('The plan was changed. It has to be approved again.') : t('The plan was changed.');
  });
}

const pathOf = ({ params }: PageRequest) => wavePath(params['wave'] ?? '');

interface Changed {
  excluded?: number;
  moved?: number;
  changed?: string[];
  approval_ended?: boolean;
}

/** Leads back to the wave with what was done, or with why nothing was: its state may have changed since the page was loaded. */
function answerOf(reply: Reply | Refused, at: string, words: (body: Changed) => string): PageAnswer {
  if (isRefused(reply) && reply.code !== 'validation_failed' && reply.code !== 'wave_not_found') {
    return problem(at, translated(reply.detail ?? refusals[reply.code].sentence));
  }
  return done(at, words(accepted(reply).body as Changed));
}
