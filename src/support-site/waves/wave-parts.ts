import type { Words } from '../../vocabulary/french-site.ts';
import type { WaveForPerson, WaveView } from '../../waves/index.ts';
import type { PauseReason } from '../../vocabulary/import-jobs.ts';
import type { GateName, GateState, WavePauseReason, WaveStatus } from '../../vocabulary/waves.ts';
import { badge, bar, code, count, fromNow, link, linkAway, moment, shareBar } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated, translatedEvidence, weekday } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { nothing, pairs, table } from '../frame/parts.ts';
import { accountPath, addressOf, certificatePath, jobPath, wavePath } from '../frame/paths.ts';
import { adviceOnFault } from '../frame/site-advice.rules.ts';
import { jobLink, jobWords, pauseName, stopOf } from '../jobs/job-parts.ts';
import { placeName, recordsPath } from '../jobs/job-records.page.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';

/** Gates by the names that people read. */
const GATE_NAMES: Readonly<Record<GateName, Words>> = {
  complete: 'Complete',
  valid: 'Valid',
  rehearsed: 'Rehearsed',
  approved: 'Approved',
  created: 'Created',
  attached: 'Attached',
  reconciled: 'Reconciled',
  switched: 'Switched',
  signed_off: 'Signed off',
};

const PAUSES: Readonly<Record<WavePauseReason, Words>> = { asked: 'manually', past_create_until: 'the plan has ended' };

const STATUS_TONES: Readonly<Partial<Record<WaveStatus, 'good' | 'warn'>>> = {
  PAUSED: 'warn',
  WITHDRAWING: 'warn',
  CREATED: 'good',
  SIGNED_OFF: 'good',
};

/** The status of a wave, with the reason of a pause: of the wave, or of the job that creates its accounts. */
export function waveBadge({
  status,
  paused_because: because,
  creation_paused_because: ofJob = null,
}: Pick<WaveView, 'status' | 'paused_because'> & { creation_paused_because?: PauseReason | null }): Html {
  const reason = because === null ? ofJob && pauseName(ofJob) : t(PAUSES[because]);
  if (reason !== null) return badge(t('PAUSED: {reason}', { reason }), 'warn');
  return badge(translated(status.replace('_', ' ')), STATUS_TONES[status] ?? 'plain');
}

/** The accounts of a wave by state as a bar. */
export function waveBar({ counts }: Pick<WaveView, 'counts'>): Html {
  const faulty = counts.rejected + counts.quarantined + counts.skipped;
  const label = t('{created} created, {pending} pending, {faulty} rejected, skipped or quarantined of {all}', {
    created: counts.created,
    pending: counts.pending,
    faulty,
    all: counts.accounts,
  });
  return bar(label, counts.accounts, [
    { value: counts.created, tone: 'good' },
    { value: faulty, tone: 'bad' },
  ]);
}

/** Accounts of a wave in words: all of them, or how many are created. */
export function progressText({ counts: { accounts, created } }: Pick<WaveView, 'counts'>): string {
  if (created > 0) return t('{count} of {all} created', { count: created, all: accounts });
  return accountsText(accounts);
}

/** A number of accounts in words. */
export function accountsText(accounts: number): string {
  return t(accounts === 1 ? '{count} account' : '{count} accounts', { count: accounts });
}

/** The planned time of the creation in local time, in words. */
export function planText({ create_from: from, create_until: until }: WaveView['plan']): string {
  if (from === null && until === null) return t('at any time');
  const [begin, end] = [from, until].map((at) => (at === null ? undefined : weekday(new Date(at))));
  if (begin === undefined) return t('until {time}', { time: end ?? '' });
  if (end === undefined) return t('from {time}', { time: begin });
  const isNear = Date.parse(until!) - Date.parse(from!) < DAY_MS;
  return isNear ? `${begin}–${end.slice(-TIME_LENGTH)}` : `${begin} – ${end}`;
}

const DAY_MS = 86_400_000;
const TIME_LENGTH = '22:00'.length;

/** What a wave is, and its plan. */
export function headerPart({ view }: WaveForPerson, { runAddress }: PageRequest): Html {
  const { plan, options } = view;
  const { supply_start_from: from, supply_start_to: to } = plan;
  const hasSupply = from !== null || to !== null;
  return html`<section>
    <h2>${t('Plan and options')}</h2>
    ${pairs([
      [t('Wave'), code(view.wave_id)],
      [t('Import supplier'), view.import_supplier],
      [t('Operations team'), view.operations_team_name],
      [t('Run'), linkAway(runAddress(view.workflow_id), t(`Open in Temporal's web UI`), code(view.workflow_id))],
      [t('Creation from'), plan.create_from === null ? t('at once') : moment(plan.create_from)],
      [t('Creation until'), plan.create_until === null ? undefined : moment(plan.create_until)],
      [t('Supply starts'), hasSupply && t('{from} to {to}', { from: from ?? '–', to: to ?? '–' })],
      [t('Expected accounts'), plan.expected_accounts === null ? undefined : count(plan.expected_accounts)],
      [t('Canary'), options.canary !== undefined && t('{count} accounts', { count: Number(options.canary) })],
      [t('Pauses after failures'), stopOf(options.stop_after_failures)],
      [t('Accounts per second, at most'), options.max_per_second && count(Number(options.max_per_second))],
      [
        t('Switches wait'),
        options.hold_switches_hours !== undefined && t('{count} hours', { count: Number(options.hold_switches_hours) }),
      ],
      [t('Opened'), moment(view.created_at)],
      [t('Ended'), view.ended_at === null ? undefined : moment(view.ended_at)],
    ])}
  </section>`;
}

const GATE_STATES: Readonly<Record<GateState, readonly [Words, 'good' | 'plain' | 'warn']>> = {
  passed: ['passed', 'good'],
  open: ['open', 'plain'],
  blocked: ['blocked', 'warn'],
  not_required: ['not required', 'good'],
};

function gateBadge(state: GateState): Html {
  const [words, tone] = GATE_STATES[state];
  return badge(t(words), tone);
}

/** The gates with their evidence, each with a link to the part that shows it. */
export function gatesPart(wave: WaveForPerson, request: PageRequest): Html {
  const { view } = wave;
  return html`<section>
    <h2 id="gates">${t('Gates')}</h2>
    ${table(t('Gates of the wave'), view.gates, [
      [t('Gate'), ({ name }) => t(GATE_NAMES[name]), 'row'],
      [t('State'), ({ state }) => gateBadge(state)],
      [
        t('Evidence'),
        (gate) =>
          html`${translatedEvidence(gate.evidence)} ${evidenceLink(gate, wave, request)} ${earlyLink(gate, view)}`,
      ],
    ])}
  </section>`;
}

/** Parts of the page that show the evidence of gates without a page of their own. */
const PARTS: Readonly<Partial<Record<GateName, readonly [anchor: string, words: Words]>>> = {
  complete: ['#jobs', 'Jobs'],
  valid: ['#causes', 'Causes'],
  approved: ['#approval', 'Approval'],
  attached: ['#jobs', 'Jobs'],
  switched: ['#accounts', 'Counts'],
  signed_off: ['#timeline', 'Timeline'],
};

function evidenceLink(
  { name, link: path }: WaveForPerson['view']['gates'][number],
  { certificates }: WaveForPerson,
  { viewer }: PageRequest,
): Part {
  const [, job] = /\/import-jobs\/([^/]+)\/$/.exec(path ?? '') ?? [];
  if (job !== undefined) return link(jobPath(job), t('Job'));
  const [, certificate] = /\/reconciliations\/([^/]+)\/$/.exec(path ?? '') ?? [];
  if (certificate !== undefined) {
    const { organisation } = viewer ?? {};
    const isOwn =
      organisation === undefined || certificates.find(({ id }) => id === certificate)?.organisation === organisation;
    return isOwn
      ? link(certificatePath(certificate), t('Certificate'))
      : t('The certificate is kept by the operators.');
  }
  const part = PARTS[name];
  return part && link(part[0], t(part[1]));
}

/** The list of accounts whose supply starts too early, of which the evidence of the rehearsal warns. */
function earlyLink(
  { name, state }: WaveForPerson['view']['gates'][number],
  { supply_starts: early, wave_id: id }: WaveView,
): Part {
  const isShown = name === 'rehearsed' && state === 'passed' && early.link !== null;
  return isShown && link(`${wavePath(id)}/early-starts`, t('Early supply starts'));
}

/** The accounts of the wave by state, relative to all of them. */
export function funnelPart({ view: { counts, import_supplier: supplier, counted_at: at } }: WaveForPerson): Html {
  const { switches } = counts;
  const row = (name: string, of: number, tone = '', to?: Record<string, string>) =>
    html`<tr>
      <th scope="row">
        ${to === undefined ? name : link(addressOf('/accounts', { import_supplier: supplier, ...to }), name)}
      </th>
      <td class="share-cell">${shareBar(of, Math.max(counts.accounts, of), tone)}</td>
      <td class="number">${count(of)}</td>
    </tr>`;
  return html`<section class="card" aria-labelledby="accounts">
    <h2 id="accounts">${t('Accounts')}</h2>
    <table class="funnel">
      <tbody>
        ${row(t('Members'), counts.accounts)} ${row(t('Excluded'), counts.excluded)}
        ${row(t('Invalid lines of uploads'), counts.invalid_lines, 'bad')}
        ${row(t('Rejected'), counts.rejected, 'bad', { status: 'REFUSED' })}
        ${row(t('Skipped'), counts.skipped, 'warn', { status: 'SKIPPED' })}
        ${row(t('Quarantined'), counts.quarantined, 'warn', { status: 'REFUSED', refusal: 'quarantined' })}
        ${row(t('Failed lines of attachments'), counts.failed_attachments, 'bad')} ${row(t('Pending'), counts.pending)}
        ${row(t('Pending, not rehearsed'), counts.not_rehearsed, 'warn')}
        ${row(t('Pending, not approved'), counts.not_approved, 'warn')} ${row(t('Created'), counts.created, 'good')}
      </tbody>
      <tbody>
        ${row(t('Switch pending'), switches.pending)} ${row(t('Switch in progress'), switches.in_progress)}
        ${row(t('Switch rejected'), switches.rejected, 'bad', { switch_status: 'REJECTED' })}
        ${row(t('Switch completed'), switches.completed, 'good')}
      </tbody>
    </table>
    <p class="fine">
      ${t('Counted {time}. The links lead to all accounts of {supplier} with this state.', { time: moment(at), supplier })}
    </p>
  </section>`;
}

/** What blocks records, with links to the records, and the records that are excluded. */
export function causesPart({ causes, exclusions, view }: WaveForPerson, request: PageRequest): Html {
  const { apiAddress, may, viewer } = request;
  const correctIt = viewer === undefined ? 'The supplier must correct it.' : 'Correct it, and send the record again.';
  return html`<section>
    <h2 id="causes">${t('Causes')}</h2>
    ${table(
      t('Causes'),
      causes,
      [
        [t('Cause'), (one) => linkAway(apiAddress(pageOfCode(one.code)), badge(one.code, 'bad'))],
        [t('Field'), ({ place }) => placeName(place), 'place'],
        [t('Job'), ({ jobId, kind, goal }) => link(jobPath(jobId), jobWords({ kind, goal }))],
        [
          t('Records'),
          ({ jobId, code: cause, place, records }) =>
            place === '*' ? count(records) : link(recordsPath(jobId, 'failed', { code: cause, place }), count(records)),
          'number',
        ],
        [t('What to do'), ({ code: cause }) => t(adviceOnFault(cause, request) ?? correctIt), 'advice'],
      ],
      t('No record of the uploads, the last rehearsal or the creation failed.'),
    )}
    ${
      causes.length > 0 &&
      html`<p class="fine">
        ${t('The most frequent causes, with records that were corrected or excluded since. The pages of the jobs have all of them.')}
      </p>`
    }
    ${
      exclusions.length > 0 &&
      html`<details>
        <summary>${t('{count} excluded', { count: view.counts.excluded })}</summary>
        ${table(t('Excluded records, newest first'), exclusions, [
          [t('Record'), ({ record }) => recordLink(view.import_supplier, record)],
          [t('Reason'), ({ reason }) => reason, 'advice'],
          may('look') && [t('By'), ({ excludedBy }) => excludedBy],
          [t('At'), ({ excludedAt }) => moment(excludedAt)],
        ])}
        ${exclusions.length < view.counts.excluded && html`<p class="fine">${t('The newest {count}.', { count: exclusions.length })}</p>`}
      </details>`
    }
  </section>`;
}

/** A record without a readable number is a line of a job. */
function recordLink(supplier: string, record: string): Html {
  const [, jobId] = /^import-jobs\/([^/]+)\/lines\/\d+$/.exec(record) ?? [];
  return link(jobId === undefined ? accountPath(supplier, record) : jobPath(jobId), code(record));
}

/** The jobs of the wave, newest first. */
export function jobsPart({ jobs }: WaveForPerson, now: Date): Html {
  return html`<section>
    <h2 id="jobs">${t('Jobs')}</h2>
    ${table(
      t('Jobs of the wave, newest first'),
      jobs,
      [
        [t('Job'), jobLink, 'row'],
        [
          t('Status'),
          ({ status, pausedBecause: because }) =>
            badge(
              because === null ? translated(status) : t('PAUSED: {reason}', { reason: pauseName(because) }),
              status === 'COMPLETED' ? 'good' : because === null ? 'plain' : 'warn',
            ),
        ],
        [
          t('Progress'),
          ({ accepted, succeeded, failed }) =>
            bar(t('{succeeded} succeeded, {failed} failed of {all}', { succeeded, failed, all: accepted }), accepted, [
              { value: succeeded, tone: 'good' },
              { value: failed, tone: 'bad' },
            ]),
          'share-cell',
        ],
        [t('Succeeded'), ({ succeeded }) => count(succeeded), 'number'],
        [
          t('Failed'),
          ({ id, failed }) => (failed === 0 ? '0' : link(recordsPath(id, 'failed'), count(failed))),
          'number',
        ],
        [t('Started'), ({ startedAt }) => fromNow(startedAt, now)],
        [t('Ended'), ({ endedAt }) => fromNow(endedAt, now)],
      ],
      t('The wave has no jobs.'),
    )}
  </section>`;
}

type ApprovalView = NonNullable<WaveForPerson['withdrawal']>;

/** The newest requests for approval of the creation and of the withdrawal, and what became of them. */
export function approvalPart(wave: WaveForPerson, request: PageRequest): Html {
  const { view, withdrawal } = wave;
  return html`<section>
    <h2 id="approval">${t('Approval')}</h2>
    ${view.approval === null ? nothing(notAsked(wave)) : requestPart(view.approval, view.wave_id)}
    ${
      withdrawal !== null &&
      html`<h3>${t('Withdrawal')}</h3>
        ${requestPart(withdrawal, view.wave_id)}`
    }
    ${wave.request !== undefined && html`<p>${whoDecides(wave.isRequester, request)}</p>`}
  </section>`;
}

function notAsked({ view }: WaveForPerson): string {
  const isRequired = view.gates.find(({ name }) => name === 'approved')?.state !== 'not_required';
  return isRequired ? t('Approval is required, and was not requested.') : t('No approval is required.');
}

function requestPart(approval: ApprovalView, waveId: string): Html {
  const { decision } = approval;
  const isOpen = decision === null;
  return html`${pairs([
    [t('Asked by'), approval.requested_by],
    [t('Asked at'), moment(approval.requested_at)],
    [t('Reason'), approval.reason],
    [t('Accounts'), count(approval.members)],
    [t('Plan'), approval.purpose === 'creation' && plannedText(approval)],
    [
      t('Decision'),
      isOpen ? badge(t('pending'), 'warn') : badge(t(decision), decision === 'approved' ? 'good' : 'bad'),
    ],
    [t('Decided by'), approval.decided_by ?? undefined],
    [t('Decided at'), isOpen ? undefined : moment(approval.decided_at)],
    [t('Reason of the decision'), approval.decision_reason ?? undefined],
  ])}
  ${changedPart(approval, waveId)}`;
}

/** What is planned, in a line. */
function plannedText({ plan, options }: Pick<WaveView, 'plan' | 'options'>): string {
  const { canary, stop_after_failures: stop, max_per_second: most, hold_switches_hours: hold } = options;
  const supply = [plan.supply_start_from, plan.supply_start_to].filter((day) => day !== null);
  const parts = [
    t('creation {plan}', { plan: planText(plan) }),
    supply.length > 0 && t('supply starts {days}', { days: supply.join(` ${t('to')} `) }),
    plan.expected_accounts !== null && t('{count} accounts expected', { count: plan.expected_accounts }),
    canary !== undefined && t('canary of {count}', { count: Number(canary) }),
    stop !== undefined && t('pauses after {limit} failures', { limit: stopOf(stop) ?? '' }),
    most !== undefined && t('at most {count} accounts per second', { count: Number(most) }),
    hold !== undefined && t('switches wait {count} hours', { count: Number(hold) }),
  ];
  return parts.filter(Boolean).join(', ');
}

/** What changed since the request or the approval, so that it no longer holds. */
function changedPart({ decision, changed, plan_changed: isPlanChanged }: ApprovalView, waveId: string): Html {
  const isOpen = decision === null;
  const accounts = link(`${wavePath(waveId)}/changed`, accountsText(changed));
  const ofPlan = t(
    isOpen
      ? 'The plan changed since, so that the request cannot be approved. Ask again.'
      : 'The plan changed since, so that the approval has expired. Ask again.',
  );
  const ofAccounts = t(
    isOpen
      ? '{accounts} changed since, so that the request cannot be approved. Rehearse the wave and ask again.'
      : '{accounts} changed since, so that the approval has expired. Rehearse the wave and ask again.',
    { accounts },
  );
  return html`${isPlanChanged && html`<p class="flash flash-wait">${ofPlan}</p>`}
  ${changed > 0 && html`<p class="flash flash-wait">${ofAccounts}</p>`}`;
}

function whoDecides(isRequester: boolean, { may }: PageRequest): Part {
  if (isRequester) return t('You asked for this approval, so another person has to decide.');
  return may('wave.approve')
    ? html`${t('You can decide: {actions}.', { actions: link('#actions', t('actions')) })}`
    : t('An operator who signed in at the provider, or with a key of the scope approve or all, has to decide.');
}
