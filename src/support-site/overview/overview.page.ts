import type { Overview } from '../../overview/overview.schema.ts';
import { findJobWaits } from '../../import-jobs/index.ts';
import { tableOf } from '../../foundation/table.ts';
import { networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { badge, count, fromNow, link, linkAway, moment, shareBar } from '../frame/cells.ts';
import { causeCard, livePart, nothing, pairs, table } from '../frame/parts.ts';
import { html, type Html } from '../frame/html.ts';
import { page, polledPart, type PageRequest } from '../frame/page.ts';
import { addressOf, jobPath } from '../frame/paths.ts';
import { pauseName, waitSentence } from '../jobs/job-parts.ts';
import { wavesUnderWay } from '../waves/waves.page.ts';
import { creationsChart } from './creations-chart.ts';

const PATH = '/overview';
const NOW = `${PATH}/now`;
const POLL_SECONDS = 5;
/** The page waits for Temporal for this time at most, and shows the rest when it refreshes. */
const ANSWER_TIMEOUT_MS = 60;

/** The state of the whole service, which refreshes. */
export const overviewPages = [
  page(PATH, async (request) => ({ title: 'Overview', body: await nowPart(request) })),
  polledPart(NOW, nowPart),
];

async function nowPart(request: PageRequest): Promise<Html> {
  const now = await request.overview.read(ANSWER_TIMEOUT_MS);
  const readAt = new Date(now.read_at);
  const body = html`<p class="fine">As of ${moment(readAt)}. Refreshes every ${POLL_SECONDS} seconds.</p>
    ${await wavesUnderWay(request)} ${healthPart(now, readAt)} ${stuckPart(now.stuck)}
    <h2>Import suppliers</h2>
    ${suppliersPart(now.accounts)}
    <h2>Creations per minute</h2>
    ${creationsChart(now.creations, now.read_at)}
    <h2>Import jobs in progress</h2>
    ${await jobsPart(now.import_jobs, readAt, request)}
    <h2>Lookups</h2>
    ${lookupsPart(now.look_ups, readAt)}
    <h2>Outside parties</h2>
    ${partiesPart(now.parties, readAt)}`;
  return livePart({ id: 'now', from: NOW, everySeconds: POLL_SECONDS }, body);
}

const TEMPORAL_STATES: Record<Overview['temporal']['state'], Html> = {
  ok: badge('available', 'good'),
  away: badge('unavailable', 'bad'),
  unknown: badge('not called yet'),
};

/** Database, Temporal, and the dispatcher of scheduled work. */
function healthPart({ database, temporal, due_work: dueWork }: Overview, now: Date): Html {
  const sweptAt = dueWork?.dispatcher.last_swept_at;
  const late = dueWork?.kinds.filter((kind) => kind.late) ?? [];
  const isLate = dueWork?.dispatcher.overdue || late.length > 0;
  const onTime = sweptAt === null ? badge('not checked yet', 'warn') : badge('on time', 'good');
  return pairs([
    [
      'Database',
      html`${badge('available', 'good')} <span class="fine">responded in ${database.answered_in_ms} ms</span>`,
    ],
    ['Temporal', TEMPORAL_STATES[temporal.state]],
    [
      'Scheduled work',
      html`${isLate ? badge('late', 'bad') : onTime}
        <span class="fine">
          last checked
          ${fromNow(sweptAt, now)}${late.map(({ kind, due }) => html`; <code>${kind}</code>: ${count(due)} due`)}
        </span>`,
    ],
  ]);
}

function stuckPart(stuck: Overview['stuck']): Html {
  if (stuck === null) {
    return html`<h2>Stuck</h2>
      ${nothing('Stuck work is not known yet: Temporal is unavailable, or has not responded yet.')}`;
  }
  const cards = stuck.counts.map((one) => causeCard(one, { isWhole: stuck.counted_all }));
  return html`<h2>
      <a href="/stuck" id="to-stuck">Stuck</a>: ${!stuck.counted_all && 'at least '}${count(stuck.total)}
    </h2>
    ${cards.length === 0 ? nothing('No work is stuck.') : html`<div class="cards causes">${cards}</div>`}
    <p class="fine">Counted ${moment(stuck.read_at)}.</p>`;
}

function suppliersPart(suppliers: Overview['accounts']): Html {
  if (suppliers.length === 0) return nothing('No import supplier has staged accounts.');
  return html`<div class="cards wide">${suppliers.map(funnel)}</div>`;
}

/** The steps of an import supplier's accounts as bars, relative to all accounts that it has staged. */
function funnel({ import_supplier: supplier, known, switch: switched, ...counts }: Overview['accounts'][number]): Html {
  const row = (name: string, of: number, narrowed: Record<string, string>, tone = '') =>
    html`<tr>
      <th scope="row">${link(addressOf('/accounts', { import_supplier: supplier, ...narrowed }), name)}</th>
      <td class="share-cell">${shareBar(of, known, tone)}</td>
      <td class="number">${count(of)}</td>
    </tr>`;
  return html`<section class="card" aria-label="${supplier}">
    <h3>${supplier} <small>${count(known)} accounts</small></h3>
    <table class="funnel">
      <tbody>
        ${row('Staged', counts.staged, { status: 'STAGED' })}
        ${row('Rejected', counts.refused, { status: 'REFUSED' }, 'bad')}
        ${row('Skipped', counts.skipped, { status: 'SKIPPED' })}
        ${row('Quarantined', counts.being_created, { status: 'REFUSED', refusal: 'quarantined' }, 'warn')}
        ${row('Created', counts.created, { status: 'CREATED' }, 'good')}
      </tbody>
      <tbody>
        ${row('Switch pending', switched.PENDING, { switch_status: 'PENDING' })}
        ${row('Switch in progress', switched.IN_PROGRESS, { switch_status: 'IN_PROGRESS' })}
        ${row('Switch rejected', switched.REJECTED, { switch_status: 'REJECTED' }, 'bad')}
        ${row('Switch completed', switched.COMPLETED, { switch_status: 'COMPLETED' }, 'good')}
      </tbody>
    </table>
  </section>`;
}

async function jobsPart(jobs: Overview['import_jobs'], now: Date, request: PageRequest): Promise<Html> {
  const ids = jobs.map(({ job_id: id }) => id);
  const waits = await findJobWaits(request.database, ids);
  return table(
    'Import jobs in progress, newest first',
    jobs,
    [
      [
        'Job',
        (job) =>
          html`<a id="job-${job.job_id}" href="${jobPath(job.job_id)}">${job.name ?? job.job_id}</a><br />
            <small>${job.import_supplier}, ${job.kind}, ${job.goal}</small>`,
      ],
      [
        'Status',
        ({ job_id: id, status, paused_because: because }) => {
          const wait = waits.get(id);
          return html`${badge(status, status === 'PAUSED' ? 'warn' : 'plain')}
            <small>${because && pauseName(because)} ${wait && waitSentence(wait)}</small>`;
        },
      ],
      ['Progress', progressOf, 'share-cell'],
      ['Failed', ({ counts }) => count(counts.failed), 'number'],
      ['Records per second', (job) => count(Math.round(job.lines_per_second)), 'number'],
      ['Estimated end', (job) => fromNow(job.estimated_end_at, now)],
      ['Run', (job) => linkAway(request.runAddress(job.workflow_id), 'Open', '–')],
    ],
    'No import job is in progress.',
  );
}

function progressOf({ counts: { accepted, succeeded, failed } }: Overview['import_jobs'][number]): Html {
  const done = succeeded + failed;
  return html`<progress value="${done}" max="${Math.max(1, accepted)}" aria-label="Processed records"></progress>
    <small>${count(done)} of ${count(accepted)}</small>`;
}

const PARTY_NAMES = tableOf<string>({ ...networkOperatorTitles, 'industry-switch': 'industry switch' });

function lookupsPart(loads: Overview['look_ups'], now: Date): Html {
  return html`${table('Lookups by network operator', loads, [
      ['Network operator', ({ network_operator: name }) => PARTY_NAMES.get(name) ?? name, 'row'],
      ['Pending', ({ pending }) => count(pending), 'number'],
      ['Open batches', (load) => count(load.open_batches), 'number'],
      ['Completed per second', (load) => load.per_second, 'number'],
      [
        'Speed limit',
        (load) =>
          html`${count(load.requests_per_second)} per second, ${count(load.requests_per_hour)} per hour<br /><small
              >effective: ${load.used_per_second} per second</small
            >`,
      ],
      [
        'Estimated end',
        ({ used_per_second: used, blocked_until: blocked, estimated_end_at: end }) =>
          html`${used === 0 && badge('lookups paused', 'warn')}
          ${blocked !== null && html`${badge('rate limited', 'warn')} until ${moment(blocked)}`}
          ${used > 0 && blocked === null && fromNow(end, now)}`,
      ],
    ])}
    <p class="fine">An identifier that is in two batches is counted twice.</p>`;
}

const PARTY_STATES: Record<Overview['parties'][number]['state'], Html> = {
  answers: badge('available', 'good'),
  fails: badge('failing', 'bad'),
  rests: badge('calls paused', 'bad'),
  not_asked: badge('not called yet'),
};

function partiesPart(parties: Overview['parties'], now: Date): Html {
  return html`${table('Outside parties', parties, [
      ['Party', ({ party }) => PARTY_NAMES.get(party) ?? party, 'row'],
      [
        'State',
        ({ state, rests_until: until }) =>
          html`${PARTY_STATES[state]} ${until !== null && html`<small>until ${moment(until)}</small>`}`,
      ],
      ['Last response', ({ answered_at: at }) => fromNow(at, now)],
      [
        'Last failure',
        ({ failed_at: at, failure }) =>
          html`${fromNow(at, now)} ${failure !== null && html`<small>${failure}</small>`}`,
      ],
    ])}
    <p class="fine">
      Reported by the workers, at most 5 seconds old. After several failures in a row, calls to a party pause for some
      seconds.
    </p>`;
}
