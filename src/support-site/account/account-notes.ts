import { badge, code, moment, nothing } from '../frame/elements.ts';
import { form } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { partOfList, type ListPlace } from './account-lists.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

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
