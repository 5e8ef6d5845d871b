import { badge, code, moment } from '../frame/cells.ts';
import { form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { nothing, pairs } from '../frame/parts.ts';
import type { PageRequest } from '../frame/page.ts';
import { listOf, partOfList, rowsOf, shownValue, textOf, type ListPlace, type Stored } from './stored.ts';

/** Notes, statements, contracts and other data of the account. */
export function documentsPart(account: Stored, request: PageRequest, place: ListPlace): Html {
  return html`${notesPart(account, request, place)}
  ${listOf(
    t('Statements of the account'),
    rowsOf(account, 'statements'),
    [
      'statement_id',
      'number',
      'issued_date',
      'bill_period_from_date',
      'bill_period_to_date',
      'gross_amount',
      [t('Document'), (one) => code(textOf(one, 'location') ?? textOf(one, 'statement_path'))],
    ],
    place,
  )}
  ${contractsPart(account, place)}
  ${listOf(t('Details of the business'), rowsOf(account, 'business_details'), ['key', 'value'], place)}
  ${listOf(t('Campaigns'), rowsOf(account, 'campaigns'), ['slug', 'campaign_note'], place)}
  ${listOf(t('Metadata'), rowsOf(account, 'metadata'), ['key', 'value'], place)}`;
}

const isPinned = (note: Stored) => note['is_pinned'] === true;

/** The notes, pinned ones first. */
function notesPart(account: Stored, request: PageRequest, place: ListPlace): Html {
  const notes = rowsOf(account, 'notes');
  const pinnedFirst = [...notes.filter(isPinned), ...notes.filter((note) => !isPinned(note))];
  const { shown, links } = partOfList('notes', pinnedFirst, place);
  return html`<section>
    <h2 id="notes">${t('Notes')}</h2>
    ${shown.length === 0 && nothing(t('There are no notes.'))}
    ${shown.map((note) => notePart(note, request, place.account))} ${links}
  </section>`;
}

function notePart(note: Stored, request: PageRequest, at: string): Html {
  const unpinAt = textOf(note, 'unpin_at');
  const documents = rowsOf(note, 'documents').flatMap(
    (one) => textOf(one, 'location') ?? textOf(one, 'document_path') ?? [],
  );
  return html`<article class="${isPinned(note) ? 'note' : 'note note-plain'}">
    <p>${isPinned(note) && badge(t('pinned'), 'warn')} ${textOf(note, 'body')}</p>
    ${documents.map((location) => html`<p>${code(location)}</p>`)}
    <p class="fine">
      ${moment(textOf(note, 'created_at'))}
      ${unpinAt !== undefined && t('pinned until {time}', { time: moment(unpinAt) })}
    </p>
    ${request.may('note.pin') && pinForm(note, request, at)}
  </article>`;
}

function pinForm(note: Stored, request: PageRequest, at: string): Html {
  const number = textOf(note, 'note') ?? '';
  const verb = isPinned(note) ? 'unpin' : 'pin';
  const until = html`<label class="fine" for="until-${number}"
      >${t('until (local time in France; leave empty for no end)')}</label
    >
    <input type="datetime-local" id="until-${number}" name="until" />`;
  return form(request, {
    action: `${at}/notes/${number}/${verb}`,
    button: t(verb === 'pin' ? 'Pin' : 'Unpin'),
    more: verb === 'pin' && until,
    tone: 'quiet',
    look: 'row',
  });
}

/** Contracts of the account; the page of its business lists those of the business. */
function contractsPart(account: Stored, place: ListPlace): Part {
  const contracts = rowsOf(account, 'account_contracts');
  if (contracts.length === 0) return '';
  return html`<section>
    <h2>${t('Contracts')}</h2>
    ${contracts.map((contract) => contractPart(contract, place))}
  </section>`;
}

function contractPart(contract: Stored, place: ListPlace): Html {
  const identifier = textOf(contract, 'identifier') ?? '';
  return html`<h3>${t('Contract {identifier}', { identifier })}</h3>
    ${pairs([
      [t('Valid from'), shownValue(textOf(contract, 'valid_from_date'))],
      [t('Signed'), shownValue(textOf(contract, 'signed_at_date'))],
    ])}
    ${rowsOf(contract, 'versions').map((version) =>
      listOf(
        t('{identifier} from {day}', { identifier, day: textOf(version, 'applicable_at_date') ?? '' }),
        rowsOf(version, 'terms'),
        ['term_type', 'content'],
        place,
      ),
    )}`;
}
