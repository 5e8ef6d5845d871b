import type { CauseView } from '../../import-jobs/results/results.schema.ts';
import { badge, count, linkAway, table } from '../frame/elements.ts';
import { adviceOnFault } from '../frame/site-advice.rules.ts';
import { html, type Html, type Part } from '../frame/html.ts';
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
        <td class="advice">${cause.detail}<br /><small>${adviceOnFault(cause.code, cause.is_warning)}</small></td>
      </tr>`,
  );
  const alone = html`<abbr title="Records without another cause: correcting this one is enough">Alone</abbr>`;
  return table('Causes', ['Cause', 'Place', 'Records', alone, 'Example', 'Detail and what to do'], rows);
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
