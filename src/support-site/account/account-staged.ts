import { code, link, moment } from '../frame/cells.ts';
import { nothing, table } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { dateTime, t } from '../frame/language.ts';
import { readable } from '../frame/readable.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

/** One revision: its changes and its content. */
export function revisionBody(revision: Stored, at: string): Html {
  const number = Number(textOf(revision, 'revision'));
  const payload = below(revision, 'payload');
  return html`<p class="row">
      ${link(at, t('Back to the account'))}
      ${number > 1 && link(`${at}/revisions/${number - 1}`, t('Previous revision'))}
      <span class="fine">${t('staged {time}', { time: moment(textOf(revision, 'staged_at')) })}</span>
    </p>
    <h2>${t('Changes')}</h2>
    ${table(
      t('Changes'),
      rowsOf(revision, 'changes'),
      [
        [t('Field'), ({ path }) => code(Array.isArray(path) ? path.map(String).join('.') : '')],
        [t('Before'), ({ before }) => sideOf(before)],
        [t('After'), ({ after }) => sideOf(after)],
      ],
      whyNoChange(revision),
    )}
    ${textOf(revision, 'all_changes') === 'false' && html`<p>${t('Only the first changes are shown.')}</p>`}
    <h2>${t('Content')}</h2>
    ${payload === undefined ? nothing(whyNoPayload(revision)) : readable(payload)}`;
}

function whyNoPayload(revision: Stored): string {
  const deleted = textOf(revision, 'payload_deleted_at');
  return deleted === undefined
    ? t('The content is no longer stored, because there are too many later revisions.')
    : t('Retention deleted the content on {time}.', { time: dateTime(new Date(deleted)) });
}

function whyNoChange(revision: Stored): string {
  if (textOf(revision, 'content') === 'first') return t('This is the first revision.');
  if (textOf(revision, 'content') === 'same') return t('The content is the same as that of the previous revision.');
  return t('The content of the previous revision is no longer stored.');
}

function sideOf(value: unknown): Part {
  return (value ?? null) === null ? html`<span class="none">–</span>` : readable(value);
}
