import { createOverview } from '../../overview/index.ts';
import type { Overview } from '../../overview/overview.schema.ts';
import { findJobWaits, type JobWait } from '../../import-jobs/index.ts';
import { pauseName, waitSentence } from '../jobs/job-parts.ts';
import { addressOf } from '../frame/paths.ts';
import { badge, count, fromNow, linkAway, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { causeCard } from '../frame/list-parts.ts';
import { polledPart, type Page, type SiteDeps } from '../frame/page.ts';
import { networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { creationsChart } from './creations-chart.ts';

const POLL_SECONDS = 5;
/** The page waits for Temporal for this time at most, and shows the rest when it refreshes. */
const ANSWER_TIMEOUT_MS = 60;

type Supplier = Overview['accounts'][number];
type Job = Overview['import_jobs'][number];

/** The state of the whole service, which refreshes. */
export function overviewPages(deps: SiteDeps): Page[] {
  const overview = createOverview(deps);
  const read = async () => {
    const now = await overview.read(ANSWER_TIMEOUT_MS);
    const ids = now.import_jobs.map(({ job_id: id }) => id);
    return livePart(now, await findJobWaits(deps.database, ids), deps);
  };
  return [
    {
      method: 'GET',
      path: '/overview',
      action: 'look',
      menu: 'Overview',
      show: async () => ({ title: 'Overview', body: await read() }),
    },
    polledPart('/overview/now', read),
  ];
}

function livePart(now: Overview, waits: ReadonlyMap<string, JobWait>, deps: SiteDeps): Html {
  const readAt = new Date(now.read_at);
  return html`<div id="now" hx-get="/overview/now" hx-trigger="every ${POLL_SECONDS}s" hx-swap="outerHTML">
    <p class="fine">As of ${moment(now.read_at)}. Refreshes every ${POLL_SECONDS} seconds.</p>
    ${partsPart(now, readAt)} ${stuckPart(now.stuck)}
    <h2>Import suppliers</h2>
    ${suppliersPart(now.accounts)}
    <h2>Creations per minute</h2>
    ${creationsChart(now.creations, now.read_at)}
    <h2>Import jobs in progress</h2>
    ${jobsPart(now.import_jobs, waits, { now: readAt, deps })}
    <h2>Lookups</h2>
    ${lookupsPart(now.look_ups, readAt)}
    <h2>Outside parties</h2>
    ${partiesPart(now.parties, readAt)}
  </div>`;
}

/** Database, Temporal, and the dispatcher of scheduled work. */
function partsPart({ database, temporal, due_work: dueWork }: Overview, now: Date): Html {
  const temporals = {
    ok: badge('available', 'good'),
    away: badge('unavailable', 'bad'),
    unknown: badge('not called yet'),
  };
  const sweptAt = dueWork?.dispatcher.last_swept_at;
  const late = dueWork?.kinds.filter((kind) => kind.late) ?? [];
  const isLate = dueWork?.dispatcher.overdue || late.length > 0;
  const onTime = sweptAt === null ? badge('not checked yet', 'warn') : badge('on time', 'good');
  const work = isLate ? badge('late', 'bad') : onTime;
  return html`<dl class="pairs">
    <dt>Database</dt>
    <dd>${badge('available', 'good')} <span class="fine">responded in ${database.answered_in_ms} ms</span></dd>
    <dt>Temporal</dt>
    <dd>${temporals[temporal.state]}</dd>
    <dt>Scheduled work</dt>
    <dd>
      ${work}
      <span class="fine">
        last checked
        ${fromNow(sweptAt, now)}${late.map(({ kind, due }) => html`; <code>${kind}</code>: ${count(due)} due`)}
      </span>
    </dd>
  </dl>`;
}

function stuckPart(stuck: Overview['stuck']): Html {
  if (stuck === null) {
    return html`<h2>Stuck</h2>
      ${nothing('Stuck work is not known yet: Temporal is unavailable, or has not responded yet.')}`;
  }
  const total = `${stuck.counted_all ? '' : 'at least '}${count(stuck.total)}`;
  return html`<h2><a href="/stuck" id="to-stuck">Stuck</a>: ${total}</h2>
    ${
      stuck.counts.length === 0
        ? nothing('No work is stuck.')
        : html`<div class="cards causes">
            ${stuck.counts.map((one) => causeCard(one, { isWhole: stuck.counted_all }))}
          </div>`
    }
    <p class="fine">Counted ${moment(stuck.read_at)}.</p>`;
}

function suppliersPart(suppliers: readonly Supplier[]): Html {
  if (suppliers.length === 0) return nothing('No import supplier has staged accounts.');
  return html`<div class="cards wide">${suppliers.map(funnel)}</div>`;
}

/** The steps of an import supplier's accounts as bars, relative to all accounts that it has staged. */
function funnel({ import_supplier: supplier, known, switch: switched, ...counts }: Supplier): Html {
  const row = (name: string, of: number, narrowed: Record<string, string>, tone = '') =>
    html`<tr>
      <th scope="row"><a href="${listAddress(supplier, narrowed)}">${name}</a></th>
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

function listAddress(supplier: string, narrowed: Record<string, string>): string {
  return addressOf('/accounts', { import_supplier: supplier, ...narrowed });
}

/** A share greater than 0 is always visible. */
function shareBar(part: number, whole: number, tone: string): Html {
  const share = part <= 0 || whole <= 0 ? 0 : Math.max(1, Math.min(100, (part / whole) * 100));
  return html`<svg class="share ${tone}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="share-ground" width="100" height="8" />
    <rect class="share-part" width="${share.toFixed(1)}" height="8" />
  </svg>`;
}

function jobsPart(
  jobs: readonly Job[],
  waits: ReadonlyMap<string, JobWait>,
  { now, deps }: { now: Date; deps: SiteDeps },
): Html {
  if (jobs.length === 0) return nothing('No import job is in progress.');
  const rows = jobs.map((job) => {
    const { accepted, succeeded, failed } = job.counts;
    const run = deps.runAddress(job.workflow_id);
    const wait = waits.get(job.job_id);
    return html`<tr>
      <td>
        <a id="job-${job.job_id}" href="/jobs/${job.job_id}">${job.name ?? job.job_id}</a><br />
        <small>${job.import_supplier}, ${job.kind}, ${job.goal}</small>
      </td>
      <td>
        ${badge(job.status, job.status === 'PAUSED' ? 'warn' : 'plain')}
        <small>${job.paused_because && pauseName(job.paused_because)} ${wait && waitSentence(wait)}</small>
      </td>
      <td class="share-cell">
        <progress
          value="${succeeded + failed}"
          max="${Math.max(1, accepted)}"
          aria-label="Processed records"
        ></progress>
        <small>${count(succeeded + failed)} of ${count(accepted)}</small>
      </td>
      <td class="number">${count(failed)}</td>
      <td class="number">${count(Math.round(job.lines_per_second))}</td>
      <td>${fromNow(job.estimated_end_at, now)}</td>
      <td>${linkAway(run, 'Open', '–')}</td>
    </tr>`;
  });
  return table(
    'Import jobs in progress, newest first',
    ['Job', 'Status', 'Progress', 'Failed', 'Records per second', 'Estimated end', 'Run'],
    rows,
  );
}

function lookupsPart(loads: Overview['look_ups'], now: Date): Html {
  const rows = loads.map((load) => {
    const names = new Map<string, string>(Object.entries(networkOperatorTitles));
    const limit = `${count(load.requests_per_second)} per second, ${count(load.requests_per_hour)} per hour`;
    return html`<tr>
      <th scope="row">${names.get(load.network_operator) ?? load.network_operator}</th>
      <td class="number">${count(load.pending)}</td>
      <td class="number">${count(load.open_batches)}</td>
      <td class="number">${load.per_second}</td>
      <td>${limit}<br /><small>effective: ${load.used_per_second} per second</small></td>
      <td>
        ${load.used_per_second === 0 && badge('lookups paused', 'warn')}
        ${load.blocked_until !== null && html`${badge('rate limited', 'warn')} until ${moment(load.blocked_until)}`}
        ${load.used_per_second > 0 && load.blocked_until === null && fromNow(load.estimated_end_at, now)}
      </td>
    </tr>`;
  });
  const heads = ['Network operator', 'Pending', 'Open batches', 'Completed per second', 'Speed limit', 'Estimated end'];
  return html`${table('Lookups by network operator', heads, rows)}
    <p class="fine">An identifier that is in two batches is counted twice.</p>`;
}

const PARTY_STATES: Record<Overview['parties'][number]['state'], Html> = {
  answers: badge('available', 'good'),
  fails: badge('failing', 'bad'),
  rests: badge('calls paused', 'bad'),
  not_asked: badge('not called yet'),
};

function partiesPart(parties: Overview['parties'], now: Date): Html {
  const names = new Map<string, string>([
    ...Object.entries(networkOperatorTitles),
    ['industry-switch', 'industry switch'],
  ]);
  const rows = parties.map(
    (party) =>
      html`<tr>
        <th scope="row">${names.get(party.party) ?? party.party}</th>
        <td>
          ${PARTY_STATES[party.state]}
          ${party.rests_until !== null && html`<small>until ${moment(party.rests_until)}</small>`}
        </td>
        <td>${fromNow(party.answered_at, now)}</td>
        <td>${fromNow(party.failed_at, now)} ${party.failure !== null && html`<small>${party.failure}</small>`}</td>
      </tr>`,
  );
  return html`${table('Outside parties', ['Party', 'State', 'Last response', 'Last failure'], rows)}
    <p class="fine">
      Reported by the workers, at most 5 seconds old. After several failures in a row, calls to a party pause for some
      seconds.
    </p>`;
}
