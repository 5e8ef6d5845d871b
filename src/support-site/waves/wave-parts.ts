import { weekdayText } from '../../platform/clock.ts';
import type { WaveForPerson, WaveView } from '../../waves/index.ts';
import type { GateName, GateState, WavePauseReason, WaveStatus } from '../../vocabulary/waves.ts';
import { badge, bar, code, count, fromNow, link, linkAway, moment, shareBar } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { nothing, pairs, table } from '../frame/parts.ts';
import { accountPath, addressOf, certificatePath, jobPath, wavePath } from '../frame/paths.ts';
import { adviceOnFault } from '../frame/site-advice.rules.ts';
import { pauseName } from '../jobs/job-parts.ts';
import { placeName, recordsPath } from '../jobs/job-records.page.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';

/** Gates by the names that people read. */
const GATE_NAMES: Readonly<Record<GateName, string>> = {
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

const PAUSES: Readonly<Record<WavePauseReason, string>> = {
  asked: 'manually',
  past_create_until: 'the plan has ended',
};

const STATUS_TONES: Readonly<Partial<Record<WaveStatus, 'good' | 'warn'>>> = {
  PAUSED: 'warn',
  WITHDRAWING: 'warn',
  CREATED: 'good',
  SIGNED_OFF: 'good',
};

/** The status of a wave, with the reason of a pause. */
export function waveBadge({ status, paused_because: because }: Pick<WaveView, 'status' | 'paused_because'>): Html {
  const words = because === null ? status : `${status}: ${PAUSES[because]}`;
  return badge(words.replace('_', ' '), STATUS_TONES[status] ?? 'plain');
}

/** The accounts of a wave by state as a bar. */
export function waveBar({ counts }: Pick<WaveView, 'counts'>): Html {
  const faulty = counts.rejected + counts.quarantined + counts.skipped;
  const label = `${count(counts.created)} created, ${count(counts.pending)} pending, ${count(faulty)} rejected, skipped or quarantined of ${count(counts.accounts)}`;
  return bar(label, counts.accounts, [
    { value: counts.created, tone: 'good' },
    { value: faulty, tone: 'bad' },
  ]);
}

/** Accounts of a wave in words: all of them, or how many are created. */
export function progressText({ counts: { accounts, created } }: Pick<WaveView, 'counts'>): string {
  if (created > 0) return `${count(created)} of ${count(accounts)} created`;
  return accountsText(accounts);
}

/** A number of accounts in words. */
export function accountsText(accounts: number): string {
  return `${count(accounts)} ${accounts === 1 ? 'account' : 'accounts'}`;
}

/** The planned time of the creation in local time, in words. */
export function planText({ create_from: from, create_until: until }: WaveView['plan']): string {
  if (from === null && until === null) return 'at any time';
  const [begin, end] = [from, until].map((at) => (at === null ? undefined : weekdayText(new Date(at))));
  if (begin === undefined) return `until ${end}`;
  if (end === undefined) return `from ${begin}`;
  const isNear = Date.parse(until!) - Date.parse(from!) < DAY_MS;
  return isNear ? `${begin}–${end.slice(-TIME_LENGTH)}` : `${begin} – ${end}`;
}

const DAY_MS = 86_400_000;
const TIME_LENGTH = '22:00'.length;

/** What a wave is, and its plan. */
export function headerPart({ view }: WaveForPerson, { runAddress }: PageRequest): Html {
  const { plan, options } = view;
  const supply = plan.supply_start_from === null && plan.supply_start_to === null;
  return html`<section>
    <h2>Plan and options</h2>
    ${pairs([
      ['Wave', code(view.wave_id)],
      ['Import supplier', view.import_supplier],
      ['Operations team', view.operations_team_name],
      ['Run', linkAway(runAddress(view.workflow_id), `Open in Temporal's web UI`, code(view.workflow_id))],
      ['Creation from', plan.create_from === null ? 'at once' : moment(plan.create_from)],
      ['Creation until', plan.create_until === null ? undefined : moment(plan.create_until)],
      ['Supply starts', supply ? undefined : `${plan.supply_start_from ?? '–'} to ${plan.supply_start_to ?? '–'}`],
      ['Expected accounts', plan.expected_accounts === null ? undefined : count(plan.expected_accounts)],
      ['Canary', options.canary === undefined ? undefined : `${count(Number(options.canary))} accounts`],
      ['Pauses after failures', stopOf(options.stop_after_failures)],
      ['Accounts per second, at most', options.max_per_second && count(Number(options.max_per_second))],
      ['Switches wait', options.hold_switches_hours !== undefined && `${Number(options.hold_switches_hours)} hours`],
      ['Opened', moment(view.created_at)],
      ['Ended', view.ended_at === null ? undefined : moment(view.ended_at)],
    ])}
  </section>`;
}

function stopOf(stop: WaveView['options']['stop_after_failures']): string | undefined {
  if (stop === undefined) return undefined;
  const { count: most, percent } = stop;
  return [most && count(Number(most)), percent && `${String(percent)} %`].filter(Boolean).join(' or ');
}

const GATE_STATES: Readonly<Record<GateState, Html>> = {
  passed: badge('passed', 'good'),
  open: badge('open'),
  blocked: badge('blocked', 'warn'),
  not_required: badge('not required', 'good'),
};

/** The gates with their evidence, each with a link to the part that shows it. */
export function gatesPart({ view }: WaveForPerson): Html {
  return html`<section>
    <h2 id="gates">Gates</h2>
    ${table('Gates of the wave', view.gates, [
      ['Gate', ({ name }) => GATE_NAMES[name], 'row'],
      ['State', ({ state }) => GATE_STATES[state]],
      ['Evidence', (gate) => html`${gate.evidence} ${evidenceLink(gate)} ${earlyLink(gate, view)}`],
    ])}
  </section>`;
}

/** Parts of the page that show the evidence of gates without a page of their own. */
const PARTS: Readonly<Partial<Record<GateName, readonly [anchor: string, words: string]>>> = {
  complete: ['#jobs', 'Jobs'],
  valid: ['#causes', 'Causes'],
  approved: ['#approval', 'Approval'],
  attached: ['#jobs', 'Jobs'],
  switched: ['#accounts', 'Counts'],
  signed_off: ['#timeline', 'Timeline'],
};

function evidenceLink({ name, link: path }: WaveForPerson['view']['gates'][number]): Part {
  const [, job] = /\/import-jobs\/([^/]+)\/$/.exec(path ?? '') ?? [];
  if (job !== undefined) return link(jobPath(job), 'Job');
  const [, certificate] = /\/reconciliations\/([^/]+)\/$/.exec(path ?? '') ?? [];
  if (certificate !== undefined) return link(certificatePath(certificate), 'Certificate');
  const part = PARTS[name];
  return part && link(part[0], part[1]);
}

/** The list of accounts whose supply starts too early, of which the evidence of the rehearsal warns. */
function earlyLink(
  { name, state }: WaveForPerson['view']['gates'][number],
  { supply_starts: early, wave_id: id }: WaveView,
): Part {
  const isShown = name === 'rehearsed' && state === 'passed' && early.link !== null;
  return isShown && link(`${wavePath(id)}/early-starts`, 'Early supply starts');
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
    <h2 id="accounts">Accounts</h2>
    <table class="funnel">
      <tbody>
        ${row('Members', counts.accounts)} ${row('Excluded', counts.excluded)}
        ${row('Invalid lines of uploads', counts.invalid_lines, 'bad')}
        ${row('Rejected', counts.rejected, 'bad', { status: 'REFUSED' })}
        ${row('Skipped', counts.skipped, 'warn', { status: 'SKIPPED' })}
        ${row('Quarantined', counts.quarantined, 'warn', { status: 'REFUSED', refusal: 'quarantined' })}
        ${row('Failed lines of attachments', counts.failed_attachments, 'bad')} ${row('Pending', counts.pending)}
        ${row('Pending, not rehearsed', counts.not_rehearsed, 'warn')}
        ${row('Pending, not approved', counts.not_approved, 'warn')} ${row('Created', counts.created, 'good')}
      </tbody>
      <tbody>
        ${row('Switch pending', switches.pending)} ${row('Switch in progress', switches.in_progress)}
        ${row('Switch rejected', switches.rejected, 'bad', { switch_status: 'REJECTED' })}
        ${row('Switch completed', switches.completed, 'good')}
      </tbody>
    </table>
    <p class="fine">Counted ${moment(at)}. The links lead to all accounts of ${supplier} with this state.</p>
  </section>`;
}

/** What blocks records, with links to the records, and the records that are excluded. */
export function causesPart({ causes, exclusions, view }: WaveForPerson, { apiAddress, may }: PageRequest): Html {
  return html`<section>
    <h2 id="causes">Causes</h2>
    ${table(
      'Causes',
      causes,
      [
        ['Cause', (one) => linkAway(apiAddress(pageOfCode(one.code)), badge(one.code, 'bad'))],
        ['Field', ({ place }) => placeName(place), 'place'],
        ['Job', ({ jobId, kind, goal }) => link(jobPath(jobId), `${kind}, ${goal}`)],
        [
          'Records',
          ({ jobId, code: cause, place, records }) =>
            place === '*' ? count(records) : link(recordsPath(jobId, 'failed', { code: cause, place }), count(records)),
          'number',
        ],
        ['What to do', ({ code: cause }) => adviceOnFault(cause) ?? 'The supplier must correct it.', 'advice'],
      ],
      'No record of the uploads, the last rehearsal or the creation failed.',
    )}
    ${
      causes.length > 0 &&
      html`<p class="fine">
        The most frequent causes, with records that were corrected or excluded since. The pages of the jobs have all of
        them.
      </p>`
    }
    ${
      exclusions.length > 0 &&
      html`<details>
        <summary>${count(view.counts.excluded)} excluded</summary>
        ${table('Excluded records, newest first', exclusions, [
          ['Record', ({ record }) => recordLink(view.import_supplier, record)],
          ['Reason', ({ reason }) => reason, 'advice'],
          may('look') && ['By', ({ excludedBy }) => excludedBy],
          ['At', ({ excludedAt }) => moment(excludedAt)],
        ])}
        ${exclusions.length < view.counts.excluded && html`<p class="fine">The newest ${count(exclusions.length)}.</p>`}
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
    <h2 id="jobs">Jobs</h2>
    ${table(
      'Jobs of the wave, newest first',
      jobs,
      [
        ['Job', ({ id, kind, goal }) => link(jobPath(id), `${kind}, ${goal}`), 'row'],
        [
          'Status',
          ({ status, pausedBecause: because }) =>
            badge(
              because === null ? status : `${status}: ${pauseName(because)}`,
              status === 'COMPLETED' ? 'good' : because === null ? 'plain' : 'warn',
            ),
        ],
        [
          'Progress',
          ({ accepted, succeeded, failed }) =>
            bar(`${count(succeeded)} succeeded, ${count(failed)} failed of ${count(accepted)}`, accepted, [
              { value: succeeded, tone: 'good' },
              { value: failed, tone: 'bad' },
            ]),
          'share-cell',
        ],
        ['Succeeded', ({ succeeded }) => count(succeeded), 'number'],
        ['Failed', ({ id, failed }) => (failed === 0 ? '0' : link(recordsPath(id, 'failed'), count(failed))), 'number'],
        ['Started', ({ startedAt }) => fromNow(startedAt, now)],
        ['Ended', ({ endedAt }) => fromNow(endedAt, now)],
      ],
      'The wave has no jobs.',
    )}
  </section>`;
}

type ApprovalView = NonNullable<WaveForPerson['withdrawal']>;

/** The newest requests for approval of the creation and of the withdrawal, and what became of them. */
export function approvalPart(wave: WaveForPerson, request: PageRequest): Html {
  const { view, withdrawal } = wave;
  return html`<section>
    <h2 id="approval">Approval</h2>
    ${view.approval === null ? nothing(notAsked(wave)) : requestPart(view.approval, view.wave_id)}
    ${
      withdrawal !== null &&
      html`<h3>Withdrawal</h3>
        ${requestPart(withdrawal, view.wave_id)}`
    }
    ${wave.request !== undefined && html`<p>${whoDecides(wave.isRequester, request)}</p>`}
  </section>`;
}

function notAsked({ view }: WaveForPerson): string {
  const isRequired = view.gates.find(({ name }) => name === 'approved')?.state !== 'not_required';
  return isRequired ? 'Approval is required, and was not requested.' : 'No approval is required.';
}

function requestPart(approval: ApprovalView, waveId: string): Html {
  const { decision } = approval;
  const isOpen = decision === null;
  return html`${pairs([
    ['Asked by', approval.requested_by],
    ['Asked at', moment(approval.requested_at)],
    ['Reason', approval.reason],
    ['Accounts', count(approval.members)],
    ['Plan', approval.purpose === 'creation' && plannedText(approval)],
    ['Decision', isOpen ? badge('pending', 'warn') : badge(decision, decision === 'approved' ? 'good' : 'bad')],
    ['Decided by', approval.decided_by ?? undefined],
    ['Decided at', isOpen ? undefined : moment(approval.decided_at)],
    ['Reason of the decision', approval.decision_reason ?? undefined],
  ])}
  ${approval.plan_changed && planChangedPart(approval)} ${approval.changed > 0 && changedPart(approval, waveId)}`;
}

/** What is planned, in a line. */
function plannedText({ plan, options }: Pick<WaveView, 'plan' | 'options'>): string {
  const { canary, stop_after_failures: stop, max_per_second: most, hold_switches_hours: hold } = options;
  const supply = [plan.supply_start_from, plan.supply_start_to].filter((day) => day !== null).join(' to ');
  const parts = [
    `creation ${planText(plan)}`,
    supply !== '' && `supply starts ${supply}`,
    plan.expected_accounts !== null && `${count(plan.expected_accounts)} accounts expected`,
    canary !== undefined && `canary of ${count(Number(canary))}`,
    stop !== undefined && `pauses after ${stopOf(stop)} failures`,
    most !== undefined && `at most ${count(Number(most))} accounts per second`,
    hold !== undefined && `switches wait ${Number(hold)} hours`,
  ];
  return parts.filter(Boolean).join(', ');
}

function planChangedPart({ decision }: ApprovalView): Html {
  return html`<p class="flash flash-wait">
    The plan changed since, so that the ${decision === null ? 'request cannot be approved' : 'approval has expired'}.
    Ask again.
  </p>`;
}

function changedPart({ decision, changed }: ApprovalView, waveId: string): Html {
  return html`<p class="flash flash-wait">
    ${link(`${wavePath(waveId)}/changed`, accountsText(changed))} changed since, so that the
    ${decision === null ? 'request cannot be approved' : 'approval has expired'}. Rehearse the wave and ask again.
  </p>`;
}

function whoDecides(isRequester: boolean, { may }: PageRequest): Part {
  if (isRequester) return 'You asked for this approval, so another person has to decide.';
  return may('wave.approve')
    ? html`You can decide: ${link('#actions', 'actions')}.`
    : 'An operator who signed in at the provider, or with a key of the scope approve or all, has to decide.';
}
