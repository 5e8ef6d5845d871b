import type { AuditEntryView } from '../../access/index.ts';
import { count, moment, table } from './elements.ts';
import { html, type Html, type Part } from './html.ts';
import type { PageRequest } from './page.ts';

/** The link to the next page of a list. */
export function nextPage(address: string): Html {
  return html`<p><a class="button quiet" href="${address}">Next page</a></p>`;
}

/** Tabs of pages. */
export function tabs(label: string, all: readonly (readonly [path: string, name: string])[], at: string): Html {
  return html`<nav class="tabs" aria-label="${label}">
    ${all.map(([path, name]) =>
      path === at ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`,
    )}
  </nav>`;
}

/** The options of a select, with `names` for values that have another name. */
export function optionsOf(
  values: readonly string[],
  chosen: string | null | undefined,
  names: ReadonlyMap<string, string> = new Map(),
): Html[] {
  return values.map((value) => {
    const name = names.get(value) ?? value;
    return value === chosen
      ? html`<option value="${value}" selected>${name}</option>`
      : html`<option value="${value}">${name}</option>`;
  });
}

/** The filter by import supplier. */
export function supplierField(query: URLSearchParams): Html {
  return filterField(query, 'import_supplier', ['Import supplier', 'Import supplier'], 32);
}

/** The filter by account. */
export function accountField(query: URLSearchParams): Html {
  return filterField(query, 'external_account_number', ['Account number', 'External account number'], 128);
}

function filterField(
  query: URLSearchParams,
  name: string,
  [placeholder, label]: readonly [string, string],
  lengthMax: number,
): Html {
  return html`<input
    name="${name}"
    value="${query.get(name)}"
    placeholder="${placeholder}"
    aria-label="${label}"
    maxlength="${lengthMax}"
  />`;
}

/** The reason of a change, for the audit. */
export function reasonField(id: string, isRequired = false): Html {
  return html`<label for="${id}">Reason</label> ${
      isRequired
        ? html`<input id="${id}" name="reason" maxlength="1000" required />`
        : html`<input id="${id}" name="reason" maxlength="1000" />`
    }`;
}

/** The check box that selects all rows of a table. */
export function selectAll(name: string): Html {
  return html`<input type="checkbox" data-marks-all="${name}" aria-label="Select all on this page" />`;
}

/** The cell with the check box of a row. `label` names the row for screen readers. */
export function selectCell(name: string, value: string, label: string): Html {
  return html`<td><input type="checkbox" name="${name}" value="${value}" aria-label="Select ${label}" /></td>`;
}

/** A table with selectable rows, and a form that acts on the selected ones for a reason. */
export function selectionForm(
  { formToken }: PageRequest,
  form: {
    action: string;
    name: string;
    label: string;
    heads: readonly Part[];
    rows: readonly Html[];
    button: Html;
    hidden?: Html;
  },
): Html {
  return html`<form method="post" action="${form.action}">
    ${formToken}${form.hidden} ${table(form.label, [selectAll(form.name), ...form.heads], form.rows)}
    <p class="row">
      <input name="reason" maxlength="1000" required placeholder="Reason" aria-label="Reason" />
      ${form.button}
    </p>
  </form>`;
}

/** Audit entries as a table. */
export function auditTable(label: string, entries: readonly AuditEntryView[]): Html {
  const rows = entries.map(
    ({ at, actor, action, reason }) =>
      html`<tr>
        <td>${moment(at)}</td>
        <td>${actor.name}</td>
        <td><code>${action}</code></td>
        <td>${reason}</td>
      </tr>`,
  );
  return table(label, ['Time', 'Actor', 'Action', 'Reason'], rows);
}

/** Causes that only Temporal knows. Their count is a lower bound while Temporal cannot be read in full. */
const ONLY_IN_TEMPORAL = /^(?:database|numbers_held_back$|not_started$|no_worker$|paused$|under_way$)/;

/** The number of stuck items with a cause, as a link to their list. @param isWhole whether all of them were read */
export function causeCard(
  { cause, count: found }: { cause: string; count: number },
  { isWhole, chosen }: { isWhole: boolean; chosen?: string | null },
): Html {
  const to = `/stuck?cause=${encodeURIComponent(cause)}`;
  const content = html`${!isWhole && ONLY_IN_TEMPORAL.test(cause) && html`<small>At least</small>`}
    <span class="figure">${count(found)}</span> <code>${cause}</code>`;
  return cause === chosen
    ? html`<a class="card" id="cause-${cause}" href="${to}" aria-current="true">${content}</a>`
    : html`<a class="card" id="cause-${cause}" href="${to}">${content}</a>`;
}
