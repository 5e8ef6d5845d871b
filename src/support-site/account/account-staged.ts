import { moment, nothing, table } from '../frame/elements.ts';
import { readable } from '../frame/readable.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { partOfList, type ListPlace } from './account-lists.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

/** The revisions, newest first, each with a link to its content and changes. */
export function stagedPart(view: Stored, place: ListPlace): Html {
  const revisions = rowsOf(below(view, 'import_process'), 'revisions');
  const newestFirst = revisions.map((one, index) => ({ one, before: revisions[index - 1] })).toReversed();
  const { shown, links } = partOfList('staged', newestFirst, place);
  const rows = shown.map(({ one, before }) => {
    const number = textOf(one, 'revision');
    const isSame = textOf(before, 'payload_hash') === textOf(one, 'payload_hash');
    return html`<tr>
      <td><a href="${place.at}/revisions/${number}">Revision ${number}</a></td>
      <td>${moment(textOf(one, 'staged_at'))}</td>
      <td>${before === undefined ? 'first revision' : isSame ? 'unchanged' : 'changed'}</td>
      <td><code>${textOf(one, 'payload_hash')?.slice(0, 16)}</code></td>
    </tr>`;
  });
  return html`<section>
    <h2 id="staged">Staged revisions</h2>
    ${table('Staged revisions', ['Revision', 'Staged', 'Content', 'Hash'], rows)} ${links}
  </section>`;
}

/** One revision: its changes and its content. */
export function revisionBody(revision: Stored, at: string): Html {
  const number = Number(textOf(revision, 'revision'));
  const payload = below(revision, 'payload');
  return html`<p class="row">
      <a href="${at}">Back to the account</a>
      ${number > 1 && html`<a href="${at}/revisions/${number - 1}">Previous revision</a>`}
      <span class="fine">staged ${moment(textOf(revision, 'staged_at'))}</span>
    </p>
    ${changesPart(revision)}
    <h2>Content</h2>
    ${payload === undefined ? nothing(whyNoPayload(revision)) : readable(payload)}`;
}

function whyNoPayload(revision: Stored): string {
  const deleted = textOf(revision, 'payload_deleted_at');
  if (deleted !== undefined) return `Retention deleted the content on ${deleted.slice(0, 10)}.`;
  return 'The content is no longer stored, because there are too many later revisions.';
}

function changesPart(revision: Stored): Html {
  const changes = rowsOf(revision, 'changes');
  return html`<h2>Changes</h2>
    ${changes.length === 0 && nothing(whyNoChange(revision))}
    ${changes.length > 0 && table('Changes', ['Field', 'Before', 'After'], changes.map(changeRow))}
    ${textOf(revision, 'all_changes') === 'false' && html`<p>Only the first changes are shown.</p>`}`;
}

function whyNoChange(revision: Stored): string {
  if (textOf(revision, 'content') === 'first') return 'This is the first revision.';
  if (textOf(revision, 'content') === 'same') return 'The content is the same as that of the previous revision.';
  return 'The content of the previous revision is no longer stored.';
}

function changeRow(change: Stored): Html {
  const path = Array.isArray(change['path']) ? change['path'].map(String) : [];
  const side = (member: 'before' | 'after'): Part => {
    const shown = change[member] ?? null;
    if (shown === null) return html`<span class="none">–</span>`;
    return readable(shown);
  };
  return html`<tr>
    <td><code>${path.join('.')}</code></td>
    <td>${side('before')}</td>
    <td>${side('after')}</td>
  </tr>`;
}
