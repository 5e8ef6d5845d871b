import type { AuditEntryView } from '../../access/index.ts';
import { count, moment, table } from './elements.ts';
import { html, type Html, type Part } from './html.ts';
import type { PageRequest } from './page.ts';

/** The link to what follows in a list. */
export function nextPage(address: string): Html {
  return html`<p><a class="button quiet" href="${address}">Next page</a></p>`;
}

/** Pages that stand beside each other, above what is on one of them. */
export function tabs(label: string, all: readonly (readonly [path: string, name: string])[], at: string): Html {
  return html`<nav class="tabs" aria-label="${label}">
    ${all.map(([path, name]) =>
      path === at ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`,
    )}
  </nav>`;
}

/** The values that may be chosen, each with its name where it is another one; `chosen` is selected. */
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

/** The field that narrows a list down to an import supplier. */
export function supplierField(query: URLSearchParams): Html {
  return narrowingField(query, 'import_supplier', ['Import supplier', 'Import supplier'], 32);
}

/** The field that narrows a list down to an account. */
export function accountField(query: URLSearchParams): Html {
  return narrowingField(query, 'external_account_number', ['Account number', 'External account number'], 128);
}

function narrowingField(
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

/** The field for why something is changed, which the audit shows. */
export function reasonField(id: string, isRequired = false): Html {
  return html`<label for="${id}">Reason</label> ${
      isRequired
        ? html`<input id="${id}" name="reason" maxlength="1000" required />`
        : html`<input id="${id}" name="reason" maxlength="1000" />`
    }`;
}

/** The box in the head of a table that marks all its rows. */
export function markAll(name: string): Html {
  return html`<input type="checkbox" data-marks-all="${name}" aria-label="Mark all on this page" />`;
}

/** The cell of a row that can be marked. `label` says which one it is to whoever does not see the row. */
export function markCell(name: string, value: string, label: string): Html {
  return html`<td><input type="checkbox" name="${name}" value="${value}" aria-label="Mark ${label}" /></td>`;
}

/** A table whose rows can be marked with `markCell`, and what is done to the marked ones for a reason. */
export function markedForm(
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
    ${formToken}${form.hidden} ${table(form.label, [markAll(form.name), ...form.heads], form.rows)}
    <p class="row">
      <input name="reason" maxlength="1000" required placeholder="Reason" aria-label="Reason" />
      ${form.button}
    </p>
  </form>`;
}

/** Who did what by hand, and why. */
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
  return table(label, ['When', 'Who', 'What', 'Reason'], rows);
}

/** Causes that only Temporal knows. Their count is a lower bound while Temporal cannot be read in full. */
const ONLY_IN_TEMPORAL = /^(?:database|numbers_held_back$|not_started$|no_worker$|paused$|under_way$)/;

/** The number of pending items with a cause, as a link to their list. @param isWhole whether all of them were read */
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
