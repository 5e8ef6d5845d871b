import type { AuditEntryView } from '../../access/index.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import type { StuckView } from '../../stuck/stuck.schema.ts';
import { badge, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

/** Notes, pinned ones on top; each can be pinned and unpinned. */
export function notesPart(view: Stored, request: PageRequest, at: string): Html {
  const notes = rowsOf(below(view, 'account'), 'notes').map((note, place) => ({ note, place }));
  const isPinned = ({ note }: { note: Stored }) => note['is_pinned'] === true;
  const others = notes.filter((one) => !isPinned(one));
  const shown = (one: { note: Stored; place: number }) => notePart(one, request, at);
  return html`${notes.filter(isPinned).map(shown)}
  ${
    others.length > 0 &&
    html`<details>
      <summary>${others.length} more ${others.length === 1 ? 'note' : 'notes'}</summary>
      ${others.map(shown)}
    </details>`
  }`;
}

function notePart({ note, place }: { note: Stored; place: number }, request: PageRequest, at: string): Html {
  const isPinned = note['is_pinned'] === true;
  const unpinAt = textOf(note, 'unpin_at');
  const documents = rowsOf(note, 'documents').flatMap((one) => textOf(one, 'location') ?? []);
  const action = `${at}/notes/${place}/${isPinned ? 'unpin' : 'pin'}`;
  return html`<article class="note">
    <p>${isPinned && badge('pinned', 'warn')} ${textOf(note, 'body')}</p>
    ${documents.map((location) => html`<p><code>${location}</code></p>`)}
    <p class="fine">
      ${moment(textOf(note, 'created_at'))}
      ${isPinned && unpinAt !== undefined && html`pinned until ${moment(unpinAt)}`}
    </p>
    ${
      request.may('note.pin') &&
      html`<form method="post" action="${action}">
        ${request.formToken}<button class="quiet">${isPinned ? 'Unpin' : 'Pin'}</button>
      </form>`
    }
  </article>`;
}

/** What may be done about the account, for whom it is allowed. */
export function actionsPart(view: Stored, request: PageRequest, at: string): Html {
  if (!request.may('account.change')) return html``;
  const account = below(view, 'account');
  return html`<section>
    <h2>Do</h2>
    ${account === undefined ? skipForm(view, request, at) : switchForm(account, request, at)}
  </section>`;
}

function skipForm(view: Stored, { formToken }: PageRequest, at: string): Html {
  const isMarked = textOf(below(view, 'import_process'), 'skipped_at') !== undefined;
  return html`<form class="narrow" method="post" action="${at}/${isMarked ? 'unskip' : 'skip'}">
    ${formToken}<label for="skip-reason">Reason</label>
    <input id="skip-reason" name="reason" maxlength="1000" />
    <button>${isMarked ? 'Take the mark to skip away' : 'Mark to skip'}</button>
  </form>`;
}

function switchForm(account: Stored, { formToken }: PageRequest, at: string): Html {
  const points = rowsOf(account, 'supply_addresses').flatMap((address) => rowsOf(address, 'supply_points'));
  const identifiers = points.flatMap((point) => textOf(point, 'identifier') ?? []);
  return html`<form class="narrow" method="post" action="${at}/switch-status">
    ${formToken}<label for="status">Set the switch to</label>
    <select id="status" name="status">
      ${Object.keys(switchStatuses).map((status) => html`<option>${status}</option>`)}
    </select>
    <p class="fine">PENDING asks the network operator again.</p>
    <label for="point">of</label>
    <select id="point" name="supply_point_identifier">
      <option value="">all points</option>
      ${identifiers.map((identifier) => html`<option>${identifier}</option>`)}
    </select>
    <label for="switch-reason">Reason</label>
    <input id="switch-reason" name="reason" maxlength="1000" required />
    <button>Set the switch</button>
  </form>`;
}

/** What is pending for the account, with a retry; undefined: Temporal cannot be asked. */
export function pendingPart(
  view: Stored,
  stuck: readonly StuckView[] | undefined,
  { request, deps, at }: { request: PageRequest; deps: SiteDeps; at: string },
): Html {
  const now = deps.clock.now();
  const runs = new Set([...runsOf(view), ...(stuck ?? []).map(({ workflow_id: id }) => id)]);
  const rows = (stuck ?? []).map(
    (one) =>
      html`<tr>
        <td>${one.kind}</td>
        <td>${badge(one.cause, one.paused ? 'warn' : 'plain')}</td>
        <td>${fromNow(one.waiting_since, now)}</td>
        <td>${fromNow(one.next_attempt_at, now)}</td>
        <td class="advice">${one.what_to_do}</td>
        <td>
          ${
            request.may('stuck.retry') &&
            html`<form method="post" action="${at}/retry">
              ${request.formToken}<input type="hidden" name="id" value="${one.id}" /><button>Retry</button>
            </form>`
          }
        </td>
      </tr>`,
  );
  const heads = ['What', 'Cause', 'Pending since', 'Next try', 'What to do', ''];
  return html`<section>
    <h2>Pending</h2>
    ${stuck === undefined && nothing('Temporal cannot be asked at the moment.')}
    ${stuck?.length === 0 && nothing('Nothing is pending.')} ${rows.length > 0 && table('Pending', heads, rows)}
    ${[...runs].filter(Boolean).map((id) => runPart(id, deps))}
  </section>`;
}

/** Ids of the runs that the account waits in. */
export function runsOf(view: Stored): string[] {
  const ids = view['workflow_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

function runPart(id: string, deps: SiteDeps): Html {
  const address = deps.runAddress(id);
  if (address === undefined) return html`<p>Run <code>${id}</code></p>`;
  return html`<p>
    Run <a href="${address}" target="_blank" rel="noreferrer"><code>${id}</code></a>
  </p>`;
}

/** Who changed what, and who read it. */
export function auditPart(entries: readonly AuditEntryView[]): Html {
  const isRead = ({ action }: AuditEntryView) => action.endsWith('.read');
  const changes = entries.filter((entry) => !isRead(entry));
  const reads = entries.filter(isRead);
  return html`<section>
    <h2>Audit</h2>
    ${changes.length === 0 ? nothing('Nobody changed anything by hand.') : entriesTable('Changes', changes)}
    <details>
      <summary>The last ${reads.length} times it was read</summary>
      ${entriesTable('Reads', reads)}
    </details>
  </section>`;
}

function entriesTable(label: string, entries: readonly AuditEntryView[]): Html {
  const rows = entries.map(
    ({ at, actor, action, before, after, reason }) =>
      html`<tr>
        <td>${moment(at)}</td>
        <td>${actor.name}</td>
        <td><code>${action}</code></td>
        <td>${before !== null && html`<code>${JSON.stringify(before)}</code>`}</td>
        <td>${after !== null && html`<code>${JSON.stringify(after)}</code>`}</td>
        <td>${reason}</td>
      </tr>`,
  );
  return table(label, ['When', 'Who', 'What', 'Before', 'After', 'Reason'], rows);
}
