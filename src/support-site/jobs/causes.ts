import type { JobView } from '../../import-jobs/index.ts';
import { count, table, badge, linkAway } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { adviceOnFault, FORWARD_ADVICE } from '../frame/site-advice.rules.ts';
import { accountPath } from '../frame/paths.ts';
import type { SiteDeps } from '../frame/page.ts';
import { placeName, recordsPath } from './job-records.page.ts';

/** The records that causes belong to. */
interface CausesOf {
  /** Of accounts that an example names. */
  supplier: string;
  /** The job that was counted; undefined for staged accounts. */
  jobId?: string;
}

/** Causes as a table, the one that blocks most records first. */
export function causesTable(causes: readonly CauseView[], deps: Pick<SiteDeps, 'apiAddress'>, of: CausesOf): Html {
  const rows = causes.map(
    (cause) =>
      html`<tr>
        <td>${codeOf(cause, deps)}</td>
        <td class="place">${placeName(cause.place)}</td>
        <td class="number">${recordsOf(cause, of)}</td>
        <td class="number">${cause.is_warning ? '–' : count(cause.alone)}</td>
        <td>${exampleOf(cause, of)}</td>
        <td class="advice">${cause.detail}<br /><small>${adviceOnFault(cause.code)}</small></td>
      </tr>`,
  );
  const alone = html`<abbr title="Records that have no other cause, so that correcting this one is enough"
    >Only cause</abbr
  >`;
  return html`${table('Causes', ['Cause', 'Field', 'Records', alone, 'Example', 'Detail and what to do'], rows)}
    <p class="fine">${FORWARD_ADVICE}</p>`;
}

/** The number of records, with a link to their list where they failed in a job. */
function recordsOf({ code, place, records, is_warning: isWarning }: CauseView, { jobId }: CausesOf): Part {
  if (jobId === undefined || isWarning || place === '*') return count(records);
  return html`<a href="${recordsPath(jobId, 'failed', { code, place })}">${count(records)}</a>`;
}

function codeOf({ code, page, is_warning: isWarning }: CauseView, { apiAddress }: Pick<SiteDeps, 'apiAddress'>): Html {
  return linkAway(apiAddress(page), badge(code, isWarning ? 'warn' : 'bad'));
}

function exampleOf({ example }: CauseView, { supplier }: CausesOf): Html {
  const { line, value, external_account_number: number } = example;
  return html`${line !== null && html`line ${count(line)}`}
  ${number !== undefined && html`<a href="${accountPath(supplier, number)}"><code>${number}</code></a>`}
  ${value !== null && html`<br /><code>${value}</code>`}`;
}

/** The warning of an account whose supply point is on another account: its switch will wait for a decision. */
const CLAIM = 'supply_point_on_another_account';

/** The figures of a canary, with what they come to for the whole job, and the lists of its records. */
export function canaryPart({ job, causes }: { job: JobView; causes: readonly CauseView[] }): Html {
  const { accepted, succeeded, failed } = job.counts;
  const done = succeeded + failed;
  const claims = Math.min(
    succeeded,
    causes.reduce((sum, cause) => sum + (cause.is_warning && cause.code === CLAIM ? cause.records : 0), 0),
  );
  const projected = (of: number) => (done === 0 ? 0 : Math.round((of / done) * accepted));
  const at = `/jobs/${job.job_id}/records`;
  const row = (name: string, of: number, address: string) =>
    html`<tr>
      <th scope="row"><a href="${address}">${name}</a></th>
      <td class="number">${count(of)}</td>
      <td class="number">about ${count(projected(of))}</td>
    </tr>`;
  return html`<h2>Canary: ${count(done)} of ${count(accepted)} records</h2>
    ${
      claims > succeeded / 2 &&
      html`<p class="flash flash-problem">
        <strong
          >${count(claims)} of ${count(succeeded)} accounts have a supply point that is also on another account.</strong
        >
        An operator must decide on the switch of each of them. If you approve the canary, expect about
        ${count(projected(claims))} such accounts in this job. Ask the supplier before you approve.
      </p>`
    }
    ${table(
      'Figures of the canary',
      ['Outcome', 'Canary', `Estimate for all ${count(accepted)} records`],
      [
        row(job.goal === 'CREATE' ? 'Created' : 'Succeeded', succeeded, `${at}/succeeded`),
        row('Failed', failed, `${at}/failed`),
        row('With a supply point on another account', claims, `${at}/succeeded?code=${CLAIM}`),
      ],
    )}`;
}
