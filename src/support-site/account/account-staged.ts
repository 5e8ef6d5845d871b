import { dateTimeText } from '../../platform/clock.ts';
import { code, link, moment } from '../frame/cells.ts';
import { nothing, table } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { readable } from '../frame/readable.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

/** One revision: its changes and its content. */
export function revisionBody(revision: Stored, at: string): Html {
  const number = Number(textOf(revision, 'revision'));
  const payload = below(revision, 'payload');
  return html`<p class="row">
      ${link(at, 'Back to the account')} ${number > 1 && link(`${at}/revisions/${number - 1}`, 'Previous revision')}
      <span class="fine">staged ${moment(textOf(revision, 'staged_at'))}</span>
    </p>
    <h2>Changes</h2>
    ${table(
      'Changes',
      rowsOf(revision, 'changes'),
      [
        ['Field', ({ path }) => code(Array.isArray(path) ? path.map(String).join('.') : '')],
        ['Before', ({ before }) => sideOf(before)],
        ['After', ({ after }) => sideOf(after)],
      ],
      whyNoChange(revision),
    )}
    ${textOf(revision, 'all_changes') === 'false' && html`<p>Only the first changes are shown.</p>`}
    <h2>Content</h2>
    ${payload === undefined ? nothing(whyNoPayload(revision)) : readable(payload)}`;
}

function whyNoPayload(revision: Stored): string {
  const deleted = textOf(revision, 'payload_deleted_at');
  if (deleted !== undefined) return `Retention deleted the content on ${dateTimeText(new Date(deleted))}.`;
  return 'The content is no longer stored, because there are too many later revisions.';
}

function whyNoChange(revision: Stored): string {
  if (textOf(revision, 'content') === 'first') return 'This is the first revision.';
  if (textOf(revision, 'content') === 'same') return 'The content is the same as that of the previous revision.';
  return 'The content of the previous revision is no longer stored.';
}

function sideOf(value: unknown): Part {
  return (value ?? null) === null ? html`<span class="none">–</span>` : readable(value);
}
