import { accountPath } from '../frame/paths.ts';
import type { CauseView } from '../../import-jobs/results/cause.schema.ts';
import { badge, count, linkAway, table } from '../frame/elements.ts';
import { adviceOnFault } from '../frame/site-advice.rules.ts';
import { html, type Html } from '../frame/html.ts';
import type { SiteDeps } from '../frame/page.ts';

/**
 * Causes as a table, what blocks most records first.
 * @param supplier where examples are staged accounts: whose
 */
export function causesTable(causes: readonly CauseView[], deps: Pick<SiteDeps, 'apiAddress'>, supplier: string): Html {
  const rows = causes.map(
    (cause) =>
      html`<tr>
        <td>${codeOf(cause, deps)}</td>
        <td class="place"><code>${cause.place === 'non_field_errors' ? 'the whole record' : cause.place}</code></td>
        <td class="number">${count(cause.records)}</td>
        <td class="number">${cause.is_warning ? '–' : count(cause.alone)}</td>
        <td>${exampleOf(cause, supplier)}</td>
        <td class="advice">${cause.detail}<br /><small>${adviceOnFault(cause.code, cause.is_warning)}</small></td>
      </tr>`,
  );
  const alone = html`<abbr title="Records that nothing else blocks: mending this lets them through">Alone</abbr>`;
  return table('Causes', ['Cause', 'Place', 'Records', alone, 'Example', 'What to do'], rows);
}

function codeOf({ code, page, is_warning: isWarning }: CauseView, { apiAddress }: Pick<SiteDeps, 'apiAddress'>): Html {
  return linkAway(apiAddress(page), badge(code, isWarning ? 'warn' : 'bad'));
}

function exampleOf({ example }: CauseView, supplier: string): Html {
  const { line, value, external_account_number: number } = example;
  return html`${line !== null && html`line ${count(line)}`}
  ${number !== undefined && html`<a href="${accountPath(supplier, number)}"><code>${number}</code></a>`}
  ${value !== null && html`<br /><code>${value}</code>`}`;
}
