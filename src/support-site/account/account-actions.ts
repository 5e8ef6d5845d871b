import type { AuditEntryView } from '../../access/index.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { badge, code, link, linkAway, moment } from '../frame/cells.ts';
import { auditTable, nothing, table, type Column } from '../frame/parts.ts';
import { form, reason, type Field } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { personPath } from '../frame/paths.ts';
import { readableLine } from '../frame/readable.ts';
import { below, partOfList, rowsOf, textOf, type ListPlace, type Stored } from './stored.ts';
import type { StuckView } from '../../stuck/stuck.schema.ts';
import { mayBeRetried } from '../frame/site-advice.rules.ts';
import { stuckColumns } from '../stuck/stuck-parts.ts';

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
    ${account !== undefined && request.may('account.withdraw') && html`<p>${link(`${at}/withdraw`, 'Withdraw this account')}</p>`}
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
    ${auditTable('Changes', changes, 'There are no manual changes.', [CHANGE])}
    <details>
      <summary>Last reads (${reads.length})</summary>
      ${auditTable('Reads', reads, undefined, [CHANGE])}
    </details>
    ${all !== undefined && html`<p>${link(all, 'All audit entries of this account')}</p>`}
  </section>`;
}

const stateOf = (state: unknown) => state !== null && readableLine(state, CHANGE_SHOWN);

const CHANGE: Column<AuditEntryView> = [
  'Before → after',
  ({ before, after }) => html`${stateOf(before)} ${before !== null && after !== null && '→'} ${stateOf(after)}`,
  'advice',
];

/** Stuck work of the account with its retries, and its runs. @param stuck undefined while Temporal is unavailable */
export function stuckPart(
  view: Stored,
  stuck: readonly StuckView[] | undefined,
  request: PageRequest,
  at: string,
): Html {
  const runs = new Set([...runsOf(view), ...(stuck ?? []).map(({ workflow_id: id }) => id)]);
  const { cause, since, next, advice } = stuckColumns(request);
  const retry = { action: `${at}/retry`, button: 'Retry', look: 'plain' } as const;
  const retryForm = (one: StuckView) =>
    request.may('stuck.retry') && mayBeRetried(one) && form(request, { ...retry, hidden: { id: one.id } });
  const columns = [
    ['Kind', ({ kind }: StuckView) => kind] as const,
    cause,
    since,
    next,
    advice,
    ['', retryForm] as const,
  ];
  return html`<section>
    <h2 id="stuck">Stuck work</h2>
    ${
      stuck === undefined
        ? nothing('Stuck work is not known at the moment: Temporal is unavailable.')
        : table('Stuck work', stuck, columns, 'No work of this account is stuck.')
    }
    ${[...runs].filter(Boolean).map((id) => html`<p>Run ${runLink(id, request)}</p>`)}
  </section>`;
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

const isPinned = (note: Stored) => note['is_pinned'] === true;
const notesOf = (view: Stored) => rowsOf(below(view, 'account'), 'notes');

/** The pinned notes, at the top of the page. */
export function pinnedNotesPart(view: Stored, request: PageRequest, place: ListPlace): Html {
  const { shown, links } = partOfList('pinned', notesOf(view).filter(isPinned), place);
  return html`${shown.map((note) => notePart(note, request, place.at))} ${links}`;
}

/** All other notes. */
export function notesPart(view: Stored, request: PageRequest, place: ListPlace): Html {
  const others = notesOf(view).filter((note) => !isPinned(note));
  const { shown, links } = partOfList('notes', others, place);
  return html`<section>
    <h2 id="notes">Notes</h2>
    ${shown.length === 0 && nothing('There are no other notes.')}
    ${shown.map((note) => notePart(note, request, place.at))} ${links}
  </section>`;
}

function notePart(note: Stored, request: PageRequest, at: string): Html {
  const unpinAt = textOf(note, 'unpin_at');
  const documents = rowsOf(note, 'documents').flatMap(
    (one) => textOf(one, 'location') ?? textOf(one, 'document_path') ?? [],
  );
  return html`<article class="${isPinned(note) ? 'note' : 'note note-plain'}">
    <p>${isPinned(note) && badge('pinned', 'warn')} ${textOf(note, 'body')}</p>
    ${documents.map((location) => html`<p>${code(location)}</p>`)}
    <p class="fine">
      ${moment(textOf(note, 'created_at'))} ${unpinAt !== undefined && html`pinned until ${moment(unpinAt)}`}
    </p>
    ${request.may('note.pin') && pinForm(note, request, at)}
  </article>`;
}

function pinForm(note: Stored, request: PageRequest, at: string): Html {
  const number = textOf(note, 'note') ?? '';
  const verb = isPinned(note) ? 'unpin' : 'pin';
  const until = html`<label class="fine" for="until-${number}"
      >until (local time in France; leave empty for no end)</label
    >
    <input type="datetime-local" id="until-${number}" name="until" />`;
  return form(request, {
    action: `${at}/notes/${number}/${verb}`,
    button: verb === 'pin' ? 'Pin' : 'Unpin',
    more: verb === 'pin' && until,
    tone: 'quiet',
    look: 'row',
  });
}
