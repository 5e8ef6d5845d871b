import { badge, moment, nothing } from '../frame/elements.ts';
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
  const { shown, links } = partOfList(
    'notes',
    notesOf(view).filter((note) => !isPinned(note)),
    place,
  );
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
    ${documents.map((location) => html`<p><code>${location}</code></p>`)}
    <p class="fine">
      ${moment(textOf(note, 'created_at'))} ${unpinAt !== undefined && html`pinned until ${moment(unpinAt)}`}
    </p>
    ${request.may('note.pin') && pinForm(note, request, at)}
  </article>`;
}

function pinForm(note: Stored, { formToken }: PageRequest, at: string): Html {
  const number = textOf(note, 'note') ?? '';
  if (isPinned(note)) {
    return html`<form class="row" method="post" action="${at}/notes/${number}/unpin">
      ${formToken}<button class="quiet">Unpin</button>
    </form>`;
  }
  return html`<form class="row" method="post" action="${at}/notes/${number}/pin">
    ${formToken}<button class="quiet">Pin</button>
    <label class="fine" for="until-${number}">until (local time in France; leave empty for no end)</label>
    <input type="datetime-local" id="until-${number}" name="until" />
  </form>`;
}
