import type { JobView } from '../../import-jobs/index.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { badge, code, count, link, linkAway, nothing, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { accountPath } from '../frame/paths.ts';
import { adviceOnFault, FORWARD_ADVICE } from '../frame/site-advice.rules.ts';
import { placeName, recordsPath } from './job-records.page.ts';

/** The records that causes belong to. */
interface CausesOf {
  /** Of accounts that an example names. */
  supplier: string;
  /** The job that was counted; undefined for staged accounts. */
  jobId?: string;
  /** The sentence without causes. */
  empty: string;
}

/** The causes of a job, as a table. */
export function jobCauses(
  { job_id: jobId, import_supplier: supplier }: JobView,
  causes: readonly CauseView[],
  request: PageRequest,
) {
  return causesTable(causes, request, { supplier, jobId, empty: 'No record failed or has a warning.' });
}

/** Causes as a table, the one that blocks most records first. */
export function causesTable(causes: readonly CauseView[], { apiAddress }: PageRequest, of: CausesOf): Html {
  if (causes.length === 0) return nothing(of.empty);
  const alone = html`<abbr title="Records that have no other cause, so that correcting this one is enough"
    >Only cause</abbr
  >`;
  return html`${table('Causes', causes, [
      ['Cause', (one) => linkAway(apiAddress(one.page), badge(one.code, one.is_warning ? 'warn' : 'bad'))],
      ['Field', ({ place }) => placeName(place), 'place'],
      ['Records', (one) => recordsOf(one, of), 'number'],
      [alone, (one) => (one.is_warning ? '–' : count(one.alone)), 'number'],
      ['Example', (one) => exampleOf(one, of)],
      ['Detail and what to do', (one) => html`${one.detail}<br /><small>${adviceOnFault(one.code)}</small>`, 'advice'],
    ])}
    <p class="fine">${FORWARD_ADVICE}</p>`;
}

/** The number of records, with a link to their list where they failed in a job. */
function recordsOf({ code: cause, place, records, is_warning: isWarning }: CauseView, { jobId }: CausesOf): Part {
  if (jobId === undefined || isWarning || place === '*') return count(records);
  return link(recordsPath(jobId, 'failed', { code: cause, place }), count(records));
}

function exampleOf({ example }: CauseView, { supplier }: CausesOf): Html {
  const { line, value, external_account_number: number } = example;
  return html`${line !== null && html`line ${count(line)}`}
  ${number !== undefined && link(accountPath(supplier, number), code(number))}
  ${value !== null && html`<br />${code(value)}`}`;
}

/** The warning of an account whose supply point is on another account: its switch will wait for a decision. */
const CLAIM = 'supply_point_on_another_account';

/** The figures of a canary, with what they come to for the whole job, and the lists of its records. */
export function canaryPart({ job, causes }: { job: JobView; causes: readonly CauseView[] }): Html {
  const { accepted, succeeded, failed } = job.counts;
  const done = succeeded + failed;
  const found = causes.filter((cause) => cause.is_warning && cause.code === CLAIM);
  const claims = Math.min(
    succeeded,
    found.reduce((sum, { records }) => sum + records, 0),
  );
  const projected = (of: number) => count(done === 0 ? 0 : Math.round((of / done) * accepted));
  const rows = [
    [job.goal === 'CREATE' ? 'Created' : 'Succeeded', succeeded, recordsPath(job.job_id, 'succeeded')],
    ['Failed', failed, recordsPath(job.job_id, 'failed')],
    ['With a supply point on another account', claims, recordsPath(job.job_id, 'succeeded', { code: CLAIM })],
  ] as const;
  return html`<h2>Canary: ${count(done)} of ${count(accepted)} records</h2>
    ${
      claims > succeeded / 2 &&
      html`<p class="flash flash-problem">
        <strong
          >${count(claims)} of ${count(succeeded)} accounts have a supply point that is also on another account.</strong
        >
        An operator must decide on the switch of each of them. If you approve the canary, expect about
        ${projected(claims)} such accounts in this job. Ask the supplier before you approve.
      </p>`
    }
    ${table('Figures of the canary', rows, [
      ['Outcome', ([name, , address]) => link(address, name), 'row'],
      ['Canary', ([, of]) => count(of), 'number'],
      [`Estimate for all ${count(accepted)} records`, ([, of]) => `about ${projected(of)}`, 'number'],
    ])}`;
}
