import type { AuditEntryView } from '../../access/index.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { code, link, moment, table } from '../frame/elements.ts';
import { form, reason, type Field } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { personPath } from '../frame/paths.ts';
import { readableLine } from '../frame/readable.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

/** Above this number of points, the identifier is typed instead of selected. */
const POINTS_OFFERED = 50;
/** Characters shown of the states before and after a change; the page of the entry shows all of them. */
const CHANGE_SHOWN = 400;
/** In this state the switch is requested. */
const REQUESTED = 'PENDING';

/** The forms that change an account, for people who may use them. */
export function actionsPart(view: Stored, request: PageRequest, at: string): Part {
  if (!request.may('account.change')) return '';
  const account = below(view, 'account');
  const person = personPath(textOf(view, 'import_supplier') ?? '', textOf(view, 'external_account_number') ?? '');
  return html`<section>
    <h2 id="do">Actions</h2>
    <div class="cards wide">
      ${account === undefined ? skipForm(view, request, at) : switchForms(account, request, at)}
    </div>
    ${request.may('person.erase') && html`<p>${link(person, 'Erase or export personal data of this account')}</p>`}
  </section>`;
}

function skipForm(view: Stored, request: PageRequest, at: string): Html {
  const isMarked = textOf(below(view, 'import_process'), 'skipped_at') !== undefined;
  const effect = isMarked
    ? 'This account is skipped, so it cannot be staged or created.'
    : 'A skipped account cannot be staged or created.';
  return form(request, {
    action: `${at}/${isMarked ? 'unskip' : 'skip'}`,
    id: 'skip',
    fields: [html`<p>${effect}</p>`, reason()],
    button: isMarked ? 'Stop skipping' : 'Skip this account',
  });
}

function switchForms(account: Stored, request: PageRequest, at: string): Html[] {
  const action = `${at}/switch-status`;
  const options = Object.keys(switchStatuses).filter((status) => status !== REQUESTED);
  const points = pointField(account);
  const again = form(request, {
    action,
    id: 'ask',
    hidden: { status: REQUESTED },
    fields: [html`<p>Sends a new switch request to the industry switch.</p>`, points, reason(true)],
    button: 'Request the switch again',
  });
  const set = form(request, {
    action,
    id: 'switch',
    fields: [{ label: 'Set the switch status manually', name: 'status', options }, points, reason(true)],
    button: 'Set the status',
  });
  return [again, set];
}

function pointField(account: Stored): Field {
  const name = 'supply_point_identifier';
  const points = rowsOf(account, 'supply_addresses').flatMap((address) => rowsOf(address, 'supply_points'));
  if (points.length > POINTS_OFFERED) {
    return { label: `Supply point (leave empty for all ${points.length})`, name, maxlength: 64 };
  }
  const identifiers = points.map((point) => textOf(point, 'identifier') ?? '');
  return { label: 'Supply point', name, options: [['', 'all supply points'], ...identifiers] };
}

/** The audit entries of an account: changes, then reads. @param all address of the whole audit */
export function auditPart(entries: readonly AuditEntryView[], all?: string): Html {
  const isRead = ({ action }: AuditEntryView) => action.endsWith('.read');
  const reads = entries.filter(isRead);
  const changes = entries.filter((entry) => !isRead(entry));
  return html`<section>
    <h2 id="audit">Audit</h2>
    ${entriesTable('Changes', changes, 'There are no manual changes.')}
    <details>
      <summary>Last reads (${reads.length})</summary>
      ${entriesTable('Reads', reads)}
    </details>
    ${all !== undefined && html`<p>${link(all, 'All audit entries of this account')}</p>`}
  </section>`;
}

function entriesTable(label: string, entries: readonly AuditEntryView[], empty?: string): Html {
  const stateOf = (state: unknown) => state !== null && readableLine(state, CHANGE_SHOWN);
  return table(
    label,
    entries,
    [
      ['Time', ({ at }) => moment(at)],
      ['Actor', ({ actor }) => actor.name],
      ['Action', ({ action }) => code(action)],
      [
        'Before → after',
        ({ before, after }) => html`${stateOf(before)} ${before !== null && after !== null && '→'} ${stateOf(after)}`,
        'advice',
      ],
      ['Reason', (entry) => entry.reason],
    ],
    empty,
  );
}
