import { findAuditOf, type AuditEntryView } from '../../access/index.ts';
import { buttonLink, code, count, moment, table } from './elements.ts';
import { element, html, type Html, type Part } from './html.ts';
import type { PageRequest } from './page.ts';

/** Audit entries shown on the page of their subject. */
const AUDIT_SHOWN = 20;

/** The link to the next page of a list; nothing without an address. */
export function nextPage(address: string | false | null | undefined, words = 'Next page'): Part {
  return address && html`<p>${buttonLink(address, words)}</p>`;
}

/** Links to pages, of which one is shown. */
export function tabs(label: string, all: readonly (readonly [path: string, name: string])[], at: string): Html {
  return html`<nav class="tabs" aria-label="${label}">${currentLinks(all, (path) => path === at)}</nav>`;
}

/** Links, of which the current ones are marked. */
export function currentLinks(
  all: readonly (readonly [path: string, name: string])[],
  isCurrent: (path: string) => boolean,
): Part {
  return all.map(([path, name]) => [
    element('a', { href: path, 'aria-current': isCurrent(path) && 'page' }, name),
    ' ',
  ]);
}

/** Audit entries as a table. */
export function auditTable(label: string, entries: readonly AuditEntryView[], empty?: string): Html {
  return table(
    label,
    entries,
    [
      ['Time', ({ at }) => moment(at)],
      ['Actor', ({ actor }) => actor.name],
      ['Action', ({ action }) => code(action)],
      ['Reason', (entry) => entry.reason],
    ],
    empty,
  );
}

/** The newest audit entries of a subject, with a heading; nothing without entries. */
export async function auditPart({ database }: PageRequest, label: string, subject: string): Promise<Part> {
  const entries = await findAuditOf(database.em(), [subject], AUDIT_SHOWN);
  return (
    entries.length > 0 &&
    html`<h2>Audit</h2>
      ${auditTable(label, entries)}`
  );
}

/** Causes that only Temporal knows. Their count is a lower bound while Temporal cannot be read in full. */
const ONLY_IN_TEMPORAL = /^(?:database|numbers_held_back$|not_started$|no_worker$|paused$|under_way$)/;

/** The number of stuck items with a cause, as a link to their list. @param isWhole whether all of them were read */
export function causeCard(
  { cause, count: found }: { cause: string; count: number },
  { isWhole, chosen }: { isWhole: boolean; chosen?: string | null },
): Html {
  const to = `/stuck?cause=${encodeURIComponent(cause)}`;
  const content = html`${!isWhole && ONLY_IN_TEMPORAL.test(cause) && html`<small>At least</small>`}
    <span class="figure">${count(found)}</span> <code>${cause}</code>`;
  const attributes = { class: 'card', id: `cause-${cause}`, href: to, 'aria-current': cause === chosen && 'true' };
  return element('a', attributes, content);
}
