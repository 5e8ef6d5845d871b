import type { Decision, OverviewForPeople } from '../../overview/index.ts';
import { findJobWaits } from '../../import-jobs/index.ts';
import { tableOf } from '../../foundation/table.ts';
import { readWavesByEnd, type WaveView } from '../../waves/index.ts';
import { badge, bar, count, fromNow, link, moment } from '../frame/cells.ts';
import { livePart, table, type Column } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { page, polledPart, type PageRequest } from '../frame/page.ts';
import { addressOf, jobPath, supplierPath, SUPPLY_POINTS, wavePath, WAVES } from '../frame/paths.ts';
import { jobBar, pauseName, waitSentence } from '../jobs/job-parts.ts';
import { causeTitle, partyTitle } from '../stuck/cause-words.rules.ts';
import { progressText, waveBadge, waveBar } from '../waves/wave-parts.ts';
import { findEndedOutages } from '../parties/party.page.ts';
import { healthPart } from './health.ts';
import { ratesPart } from './rates.ts';

const PATH = '/overview';
const NOW = `${PATH}/now`;
const POLL_SECONDS = 5;
/** The page waits for Temporal for this time at most, and shows the rest when it refreshes. */
const ANSWER_TIMEOUT_MS = 60;
/** Waves and jobs that are shown. */
const PROGRESS_SHOWN = 6;
/** Causes and import suppliers that are shown without a click. */
const CAUSES_SHOWN = 6;
const SUPPLIERS_SHOWN = 8;

/** The state of the whole service, which refreshes. */
export const overviewPages = [
  page(PATH, async (request) => ({ title: 'Overview', body: await nowPart(request) })),
  polledPart(NOW, nowPart),
];

async function nowPart(request: PageRequest): Promise<Html> {
  const now = await request.overview.readForPeople(ANSWER_TIMEOUT_MS);
  const readAt = new Date(now.read_at);
  const body = html`<div class="overview">
      <section>
        <h2>Needs a decision</h2>
        ${decisionsPart(now.decisions, readAt)}
      </section>
      <section>
        <h2>Last three hours</h2>
        ${ratesPart(now)}
      </section>
      <section>
        <h2>In progress</h2>
        ${await progressPart(now, request)}
      </section>
      <section>${await stuckPart(now, request, readAt)} ${await outagesPart(request)}</section>
    </div>
    <h2>Import suppliers</h2>
    ${suppliersPart(now.accounts)} ${healthPart(now, readAt)}
    <p class="fine">As of ${moment(readAt)}. Refreshes every ${POLL_SECONDS} seconds.</p>`;
  return livePart({ id: 'now', from: NOW, everySeconds: POLL_SECONDS }, body);
}

/** What each kind of decision is, and the list of all of them. */
const DECISIONS = tableOf<readonly [words: string, list: string]>({
  canary: ['Canary to approve', '/jobs?status=PAUSED'],
  approval: ['Wave to approve', WAVES],
  paused_job: ['Paused job', '/jobs?status=PAUSED'],
  paused_wave: ['Paused wave', WAVES],
});

function decisionsPart(decisions: readonly Decision[], now: Date): Html {
  return table(
    'Needs a decision',
    decisions,
    [
      ['Decision', decisionLink, 'row'],
      ['Count', (one) => count(one.count), 'number'],
      ['Oldest', ({ oldest }) => fromNow(oldest, now)],
    ],
    'Nothing waits for a decision.',
  );
}

function decisionLink({ kind, only }: Decision): Html {
  const [words, list] = DECISIONS.get(kind) ?? [causeTitle(kind), undefined];
  if (list === undefined) return causeLink(kind);
  if (only === undefined) return link(list, words);
  return html`${words}: ${link((list === WAVES ? wavePath : jobPath)(only.id), only.name)}`;
}

function causeLink(cause: string): Html {
  return html`<a id="cause-${cause}" href="${addressOf('/stuck', { cause })}">${causeTitle(cause)}</a>`;
}

/** A row of the work in progress. */
type Progress = readonly [name: Part, progress: Part, status: Part, end: Part];

async function progressPart(now: OverviewForPeople, request: PageRequest): Promise<Html> {
  const waves = await readWavesByEnd(request.database, { hasEnded: false, limit: PROGRESS_SHOWN });
  const jobs = now.import_jobs.filter(({ wave_id: wave, status }) => wave === null && status !== 'PAUSED');
  const shown = jobs.slice(0, Math.max(1, PROGRESS_SHOWN - waves.length));
  const waits = await findJobWaits(
    request.database,
    shown.map(({ job_id: id }) => id),
  );
  const rows = [
    ...waves.map((wave) => waveRow(wave, request.now)),
    ...shown.map((job): Progress => {
      const wait = waits.get(job.job_id);
      return [
        html`<a id="job-${job.job_id}" href="${jobPath(job.job_id)}">${job.name ?? job.goal}</a>
          <small>${job.import_supplier}</small>`,
        html`${jobBar(job)}
          <small>${count(job.counts.succeeded + job.counts.failed)} of ${count(job.counts.accepted)}</small>`,
        html`${badge(job.status)} ${job.paused_because !== null && pauseName(job.paused_because)}
        ${wait !== undefined && html`<br /><small>${waitSentence(wait)}</small>`}`,
        fromNow(job.estimated_end_at, request.now),
      ];
    }),
    ...now.look_ups.filter(({ pending }) => pending > 0).map((load) => lookupsRow(load, request.now)),
  ];
  const columns: Column<Progress>[] = [
    ['Work', ([name]) => name, 'row'],
    ['Progress', ([, progress]) => progress, 'place'],
    ['Status', ([, , status]) => status],
    ['Estimated end', ([, , , end]) => end],
  ];
  return html`${table('In progress', rows, columns, 'No wave, job or lookup is in progress.')}
  ${jobs.length > shown.length && html`<p class="fine">${link('/jobs', `${count(jobs.length - shown.length)} more jobs`)}</p>`}`;
}

function waveRow(wave: WaveView, now: Date): Progress {
  return [
    html`${link(wavePath(wave.wave_id), wave.name)} <small>${wave.import_supplier}</small>`,
    html`${waveBar(wave)} <small>${progressText(wave)}</small>`,
    waveBadge(wave),
    fromNow(wave.estimated_end_at, now),
  ];
}

function lookupsRow(load: OverviewForPeople['look_ups'][number], now: Date): Progress {
  const { network_operator: name, pending, used_per_second: used, blocked_until: blocked } = load;
  return [
    html`${link(SUPPLY_POINTS, 'Lookups')} <small>${partyTitle(name)}</small>`,
    html`${count(pending)} pending
      <small>${load.per_second} of at most ${count(load.requests_per_second)} per second</small>`,
    html`${used === 0 && badge('lookups paused', 'warn')}
    ${blocked !== null && html`${badge('rate limited', 'warn')} until ${moment(blocked)}`}`,
    fromNow(load.estimated_end_at, now),
  ];
}

/** Stuck work that is not a decision, by cause; most frequent first. The list of runs has one run for all deferred lookups of a party. */
async function stuckPart({ stuck, decisions }: OverviewForPeople, request: PageRequest, now: Date): Promise<Html> {
  const decided = new Set(decisions.map(({ kind }) => kind));
  const stored = Map.groupBy(await request.stuck.groups(), ({ cause }) => cause);
  const counts = new Map([
    ...(stuck?.counts ?? []).map((one) => [one.cause, one.count] as const),
    ...[...stored].map(([cause, all]) => [cause, all.reduce((sum, one) => sum + one.count, 0)] as const),
  ]);
  const causes = [...counts]
    .map(([cause, of]) => ({ cause, count: of }))
    .filter(({ cause }) => !decided.has(cause))
    .toSorted((one, other) => other.count - one.count);
  const oldestOf = (cause: string) => stored.get(cause)?.map(({ oldest }) => oldest.getTime()) ?? [];
  const isWhole = stuck?.counted_all === true;
  const isDecided = [...counts.keys()].some((cause) => decided.has(cause));
  return html`<h2><a href="/stuck" id="to-stuck">Stuck</a></h2>
    ${table(
      'Stuck work by cause',
      causes.slice(0, CAUSES_SHOWN),
      [
        ['Cause', ({ cause }) => causeLink(cause), 'row'],
        ['Count', (one) => count(one.count), 'number'],
        ['Oldest', ({ cause }) => oldestOf(cause).length > 0 && fromNow(new Date(Math.min(...oldestOf(cause))), now)],
      ],
      isDecided ? 'All stuck work needs a decision.' : isWhole ? 'No work is stuck.' : 'No stored work is stuck.',
    )}
    ${causes.length > CAUSES_SHOWN && html`<p class="fine">${link('/stuck', `${causes.length - CAUSES_SHOWN} more causes`)}</p>`}
    ${!isWhole && html`<p class="fine">Not all runs could be read from Temporal: there may be more.</p>`}`;
}

/** The parties that were unavailable within the last day: their pages show what is left. */
async function outagesPart(request: PageRequest): Promise<Html[]> {
  const ended = await findEndedOutages(request);
  return ended.map(
    ({ words, to }) => html`<p class="fine">${words} was unavailable until ${fromNow(to, request.now)}.</p>`,
  );
}

type SupplierCounts = OverviewForPeople['accounts'][number];

function suppliersPart(suppliers: readonly SupplierCounts[]): Html {
  const known = suppliers.filter((one) => one.known > 0).toSorted((one, other) => other.known - one.known);
  const more = known.slice(SUPPLIERS_SHOWN);
  return html`${suppliersTable('Accounts by import supplier and state', known.slice(0, SUPPLIERS_SHOWN))}
  ${
    more.length > 0 &&
    html`<details>
      <summary>${count(more.length)} more import suppliers</summary>
      ${suppliersTable('More import suppliers', more)}
    </details>`
  }`;
}

function suppliersTable(label: string, suppliers: readonly SupplierCounts[]): Html {
  const state = (
    name: string,
    of: (one: SupplierCounts) => number,
    narrowed: Record<string, string>,
  ): Column<SupplierCounts> => [
    name,
    (one) => {
      const address = addressOf('/accounts', { import_supplier: one.import_supplier, ...narrowed });
      return of(one) === 0 ? html`<span class="none">–</span>` : link(address, count(of(one)));
    },
    'number',
  ];
  return table(
    label,
    suppliers,
    [
      ['Import supplier', (one) => link(supplierPath(one.import_supplier), one.import_supplier), 'row'],
      ['Share', stateBar, 'share-cell'],
      ['Accounts', (one) => count(one.known), 'number'],
      state('Staged', (one) => one.staged, { status: 'STAGED' }),
      state('Rejected', (one) => one.refused, { status: 'REFUSED' }),
      state('Skipped', (one) => one.skipped, { status: 'SKIPPED' }),
      state('Quarantined', (one) => one.being_created, { status: 'REFUSED', refusal: 'quarantined' }),
      state('Created', (one) => one.created, { status: 'CREATED' }),
      state('Switch pending', (one) => one.switch.PENDING, { switch_status: 'PENDING' }),
      state('Switching', (one) => one.switch.IN_PROGRESS, { switch_status: 'IN_PROGRESS' }),
      state('Switch rejected', (one) => one.switch.REJECTED, { switch_status: 'REJECTED' }),
      state('Switched', (one) => one.switch.COMPLETED, { switch_status: 'COMPLETED' }),
    ],
    'No import supplier has staged accounts.',
  );
}

function stateBar({
  known,
  created,
  refused,
  skipped,
  being_created: quarantined,
  switch: switched,
}: SupplierCounts): Html {
  const label = `${count(switched.COMPLETED)} switched, ${count(created)} created, ${count(refused)} rejected of ${count(known)}`;
  return bar(label, known, [
    { value: switched.COMPLETED, tone: 'good' },
    { value: created - switched.COMPLETED, tone: 'accent' },
    { value: skipped + quarantined, tone: 'warn' },
    { value: refused, tone: 'bad' },
  ]);
}
