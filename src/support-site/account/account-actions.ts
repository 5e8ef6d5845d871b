import { personPath } from '../frame/paths.ts';
import type { AuditEntryView } from '../../access/index.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { moment, nothing, table } from '../frame/elements.ts';
import { readableLine } from '../frame/readable.ts';
import { html, type Html } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

/** Above this number of points, the identifier is typed instead of selected. */
const POINTS_OFFERED = 50;
/** Characters shown of the states before and after a change; the page of the entry shows all of them. */
const CHANGE_SHOWN = 400;

/** The forms that change an account, for people who may use them. */
export function actionsPart(view: Stored, request: PageRequest, at: string): Html {
  if (!request.may('account.change')) return html``;
  const account = below(view, 'account');
  return html`<section>
    <h2 id="do">Actions</h2>
    <div class="cards wide">
      ${
        account === undefined
          ? skipForm(view, request, at)
          : html`${requestAgainForm(account, request, at)} ${switchForm(account, request, at)}`
      }
    </div>
    ${request.may('person.erase') && personLink(view)}
  </section>`;
}

function personLink(view: Stored): Html {
  const at = personPath(textOf(view, 'import_supplier') ?? '', textOf(view, 'external_account_number') ?? '');
  return html`<p><a href="${at}">Erase or export personal data of this account</a></p>`;
}

function skipForm(view: Stored, { formToken }: PageRequest, at: string): Html {
  const isMarked = textOf(below(view, 'import_process'), 'skipped_at') !== undefined;
  return html`<form class="narrow" method="post" action="${at}/${isMarked ? 'unskip' : 'skip'}">
    ${formToken}
    <p>
      ${isMarked ? 'This account is skipped, so it cannot be staged or created.' : 'A skipped account cannot be staged or created.'}
    </p>
    <label for="skip-reason">Reason</label>
    <input id="skip-reason" name="reason" maxlength="1000" />
    <button>${isMarked ? 'Stop skipping' : 'Skip this account'}</button>
  </form>`;
}

/** In this state the switch is requested. */
const REQUESTED = 'PENDING';

function requestAgainForm(account: Stored, { formToken }: PageRequest, at: string): Html {
  return html`<form class="narrow" method="post" action="${at}/switch-status">
    ${formToken}<input type="hidden" name="status" value="${REQUESTED}" />
    <p>Sends a new switch request to the industry switch.</p>
    ${pointField('ask', account)}
    <label for="ask-reason">Reason</label>
    <input id="ask-reason" name="reason" maxlength="1000" required />
    <button>Request the switch again</button>
  </form>`;
}

function switchForm(account: Stored, { formToken }: PageRequest, at: string): Html {
  const others = Object.keys(switchStatuses).filter((status) => status !== REQUESTED);
  return html`<form class="narrow" method="post" action="${at}/switch-status">
    ${formToken}<label for="status">Set the switch status manually</label>
    <select id="status" name="status">
      ${others.map((status) => html`<option>${status}</option>`)}
    </select>
    ${pointField('switch', account)}
    <label for="switch-reason">Reason</label>
    <input id="switch-reason" name="reason" maxlength="1000" required />
    <button>Set the status</button>
  </form>`;
}

function pointField(name: string, account: Stored): Html {
  const points = rowsOf(account, 'supply_addresses').flatMap((address) => rowsOf(address, 'supply_points'));
  const field = `${name}-point`;
  if (points.length > POINTS_OFFERED) {
    return html`<label for="${field}">Supply point (leave empty for all ${points.length})</label>
      <input id="${field}" name="supply_point_identifier" maxlength="64" />`;
  }
  return html`<label for="${field}">Supply point</label>
    <select id="${field}" name="supply_point_identifier">
      <option value="">all supply points</option>
      ${points.map((point) => html`<option>${textOf(point, 'identifier')}</option>`)}
    </select>`;
}

/** The audit entries of an account: changes, then reads. @param all address of the whole audit */
export function auditPart(entries: readonly AuditEntryView[], all?: string): Html {
  const isRead = ({ action }: AuditEntryView) => action.endsWith('.read');
  const changes = entries.filter((entry) => !isRead(entry));
  const reads = entries.filter(isRead);
  return html`<section>
    <h2 id="audit">Audit</h2>
    ${changes.length === 0 ? nothing('There are no manual changes.') : entriesTable('Changes', changes)}
    <details>
      <summary>Last reads (${reads.length})</summary>
      ${entriesTable('Reads', reads)}
    </details>
    ${all !== undefined && html`<p><a href="${all}">All audit entries of this account</a></p>`}
  </section>`;
}

function entriesTable(label: string, entries: readonly AuditEntryView[]): Html {
  const rows = entries.map(
    ({ at, actor, action, before, after, reason }) =>
      html`<tr>
        <td>${moment(at)}</td>
        <td>${actor.name}</td>
        <td><code>${action}</code></td>
        <td class="advice">${stateOf(before)} ${before !== null && after !== null && '→'} ${stateOf(after)}</td>
        <td>${reason}</td>
      </tr>`,
  );
  return table(label, ['Time', 'Actor', 'Action', 'Before → after', 'Reason'], rows);
}

function stateOf(state: unknown): Html | false {
  if (state === null) return false;
  return html`${readableLine(state, CHANGE_SHOWN)}`;
}
