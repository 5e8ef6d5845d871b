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
import { buttonLink, count, figure, fromNow, link, moment, badge } from '../frame/cells.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { html, type Html, type Part } from '../frame/html.ts';
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
import { livePart, replacedParts } from '../frame/parts.ts';
import { addressOf, supplierPath, wavePath, WAVES } from '../frame/paths.ts';
import { NEW_JOB } from '../jobs/upload.page.ts';
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
import { findAuditOf, type AuditEntryView } from '../../access/index.ts';
import { readEventsOfWave } from '../../events/index.ts';
import { eventTypes, type EventType } from '../../vocabulary/events.ts';
import { jobLink, manifestPart } from '../jobs/job-parts.ts';

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
  const { wave_id: id, import_supplier: supplier } = wave.view;
  const upload =
    wave.steps.has('move') &&
    request.may('import-job.upload') &&
    buttonLink(addressOf(NEW_JOB, { import_supplier: supplier, wave_id: id }), t('Upload to this wave'));
  const actions = request.may('wave.steer') && html`<section id="actions">${actionsPart(wave, request)}</section>`;
  const body = html`<p class="row">
      ${link(WAVES, t('All waves'))}
      ${link(addressOf(WAVES, { import_supplier: supplier }), t('Waves of {supplier}', { supplier }))} ${upload}
    </p>
    ${await progressPart(wave, request)} ${actions} ${approvalPart(wave, request)} ${causesPart(wave, request)}
    ${headerPart(wave, request)} ${await timelinePart(wave, request)}`;
  return { title: wave.view.name, body };
}

/** The forms are sent only when other ones apply, so that a reason that is being typed is kept. */
async function showProgress(request: PageRequest): Promise<Html> {
  const wave = await read(request);
  const isSame = !request.may('wave.steer') || request.query.get('shown') === actionsShown(wave, request);
  return html`${await progressPart(wave, request)} ${!isSame && replacedParts({ actions: actionsPart(wave, request) })}`;
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
    <div class="wave-overview">${gatesPart(wave, request)} ${funnelPart(wave)}</div>
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

const SHOWN = 100;
/** An event within this time of an audited change with the same status reports that change. */
const SAME_CHANGE_MS = 5_000;

interface Entry {
  at: Date;
  words: Part;
}

/** What people and the run did with the wave, from the audit, its events and its jobs; newest first. */
async function timelinePart({ view, jobs }: WaveForPerson, { database, may }: PageRequest): Promise<Html> {
  const audit = may('look') ? await findAuditOf(database.em(), [`waves/${view.wave_id}`], SHOWN) : [];
  const events = await readEventsOfWave(database, view.wave_id, SHOWN);
  const entries: Entry[] = [
    ...audit.map((entry) => ({ at: new Date(entry.at), words: auditWords(entry) })),
    ...events
      .filter((event) => !audit.some((entry) => isSameChange(entry, event)))
      .map(({ occurredAt, type }) => ({ at: occurredAt, words: eventWords(type) })),
    ...jobs.flatMap(jobEntries),
  ];
  entries.sort((one, other) => other.at.getTime() - one.at.getTime());
  return html`<section>
    <h2 id="timeline">${t('Timeline')}</h2>
    <ol class="timeline">
      ${entries.slice(0, SHOWN).map(({ at, words }) => html`<li>${moment(at)} ${words}</li>`)}
    </ol>
  </section>`;
}

function isSameChange({ at, after }: AuditEntryView, event: { type: string; occurredAt: Date }): boolean {
  const status = (after as { status?: string } | null)?.status?.toLowerCase();
  const isNear = Math.abs(new Date(at).getTime() - event.occurredAt.getTime()) < SAME_CHANGE_MS;
  return isNear && status !== undefined && event.type === `import.wave.${status}.v1`;
}

/** The action without its prefix, the person, counted accounts and the reason. */
function auditWords({ action, actor, before, after, reason }: AuditEntryView): Html {
  if (action === 'wave.plan_changed') {
    return html`${badge(t('plan changed'))} ${actor.name} <small>${planChanges(before, after)}</small>
      <small>“${reason}”</small>`;
  }
  const counts = Object.entries((after ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    typeof value === 'number' ? [`${count(value)} ${translated(name)}`] : [],
  );
  return html`${badge(translated(action.replace(/^wave\./, '').replaceAll('_', ' ')))} ${actor.name}
  ${counts.length > 0 && html`<small>${counts.join(', ')}</small>`}
  ${reason !== null && html`<small>“${reason}”</small>`}`;
}

/** Changed members with their values: `create_until: … → …`. */
function planChanges(before: unknown, after: unknown): string {
  const [was, is] = [before, after].map((values) => (values ?? {}) as Record<string, unknown>);
  const words = (value: unknown) =>
    value === null || value === undefined ? t('none') : typeof value === 'string' ? value : JSON.stringify(value);
  return Object.keys(is!)
    .filter((name) => name !== 'status')
    .map((name) => `${name.replace(/^\w+\./, '')}: ${words(was![name])} → ${words(is![name])}`)
    .join(', ');
}

function eventWords(type: EventType): Html {
  const name = type.replace(/^import\.wave\./, '').replace(/\.v\d+$/, '');
  return html`${badge(name === 'created' ? t('creation ended') : translated(name.replace('_', ' ')), name === 'created' ? 'good' : name === 'paused' ? 'warn' : 'plain')}
  ${translated(eventTypes[type])}`;
}

function jobEntries(of: WaveForPerson['jobs'][number]): Entry[] {
  const { startedAt, endedAt, succeeded, failed } = of;
  const job = jobLink(of);
  const started = startedAt === null ? [] : [{ at: startedAt, words: html`${t('Job started: {job}', { job })}` }];
  if (endedAt === null) return started;
  const words = html`${t('Job ended: {job}', { job })}
    <small>${t('{succeeded} succeeded, {failed} failed', { succeeded, failed })}</small>`;
  return [...started, { at: endedAt, words }];
}
