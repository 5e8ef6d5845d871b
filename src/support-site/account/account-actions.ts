import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { code, link, linkAway } from '../frame/cells.ts';
import { form, reason, type Field, type Form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { personPath } from '../frame/paths.ts';
import { below, rowsOf, textOf, type ShownAccount, type Stored } from './stored.ts';

/** Above this number of points, the identifier is typed instead of selected. */
const POINTS_OFFERED = 50;
/** In this state the switch is requested. */
const REQUESTED = 'PENDING';

/** An action with a form of its own. */
interface Action {
  id: string;
  name: string;
  form: Form;
}

/**
 * The menu of the actions that this person may take; each opens a dialog that asks for the reason. Menu and dialogs are `details` and
 * popovers, which need no script.
 */
export function actionsMenu(shown: ShownAccount): Part {
  const { view, account, request, at } = shown;
  if (!request.may('account.change')) return '';
  const actions = account === undefined ? [skipAction(shown)] : switchActions(account, at);
  const person = personPath(textOf(view, 'import_supplier') ?? '', textOf(view, 'external_account_number') ?? '');
  return html`<details class="actions-menu">
      <summary class="button quiet">${t('Actions')}</summary>
      <ul>
        ${actions.map(({ id, name }) => html`<li><button type="button" class="quiet" popovertarget="dialog-${id}">${name} ...</button></li>`)}
        ${account !== undefined && request.may('account.withdraw') && html`<li>${link(`${at}/withdraw`, t('Withdraw this account'))}</li>`}
        ${request.may('person.erase') && html`<li>${link(person, t('Erase or export personal data'))}</li>`}
      </ul>
    </details>
    ${actions.map((action) => dialog(action, request))}`;
}

function dialog({ id, name, form: spec }: Action, request: PageRequest): Html {
  return html`<div popover="auto" id="dialog-${id}" class="dialog" role="dialog" aria-labelledby="title-${id}">
    <h2 id="title-${id}">${name}</h2>
    ${form(request, { look: 'plain', id, ...spec })}
    <button type="button" class="quiet" popovertarget="dialog-${id}" popovertargetaction="hide">${t('Close')}</button>
  </div>`;
}

function skipAction({ view, at }: ShownAccount): Action {
  const isSkipped = textOf(below(view, 'import_process'), 'skipped_at') !== undefined;
  const name = t(isSkipped ? 'Stop skipping this account' : 'Skip this account');
  const effect = t(
    isSkipped ? 'It can be staged and created again.' : 'A skipped account cannot be staged or created.',
  );
  const action = `${at}/${isSkipped ? 'unskip' : 'skip'}`;
  const button = t(isSkipped ? 'Stop skipping' : 'Skip');
  return { id: 'skip', name, form: { action, fields: [html`<p>${effect}</p>`, reason()], button } };
}

function switchActions(account: Stored, at: string): Action[] {
  const action = `${at}/switch-status`;
  const options = Object.keys(switchStatuses).filter((status) => status !== REQUESTED);
  const points = pointField(account);
  const again: Form = {
    action,
    hidden: { status: REQUESTED },
    fields: [html`<p>${t('Sends a new switch request to the industry switch.')}</p>`, points, reason(true)],
    button: t('Request the switch again'),
  };
  const set: Form = {
    action,
    fields: [
      html`<p>${t('Sets the status here only; the industry switch is not notified.')}</p>`,
      { label: t('Status'), name: 'status', options: [['', t('Choose')] as const, ...options], required: true },
      points,
      reason(true),
    ],
    button: t('Set the status'),
  };
  return [
    { id: 'ask', name: t('Request the switch again'), form: again },
    { id: 'switch', name: t('Set the switch status'), form: set },
  ];
}

function pointField(account: Stored): Field {
  const name = 'supply_point_identifier';
  const points = rowsOf(account, 'supply_addresses').flatMap((address) => rowsOf(address, 'supply_points'));
  if (points.length > POINTS_OFFERED) {
    return { label: t('Supply point (leave empty for all {count})', { count: points.length }), name, maxlength: 64 };
  }
  const identifiers = points.map((point) => textOf(point, 'identifier') ?? '');
  return { label: t('Supply point'), name, options: [['', t('all supply points')], ...identifiers] };
}

/** Ids of the runs that the account waits in. */
export function runsOf(view: Stored): string[] {
  const ids = view['workflow_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** A run with a link to Temporal's web UI, if its address is set. */
export function runLink(id: string, { runAddress }: PageRequest, words: Part = code(id)): Part {
  return linkAway(runAddress(id), words, code(id));
}
