import { findAuditOf, type AuditEntryView } from '../../access/index.ts';
import { auditSentence } from './audit-sentence.ts';
import { buttonLink, link, moment } from './cells.ts';
import { element, html, type Html, type Part } from './html.ts';
import { t } from './language.ts';
import type { PageRequest } from './page.ts';

/**
 * A column of a table: its title, the content of its cells, and the class of its cells, or `row` for cells that name their row.
 */
export type Column<Row> = readonly [
  title: Part,
  cell: (row: Row, index: number) => Part,
  look?: 'number' | 'advice' | 'place' | 'share-cell' | 'row' | undefined,
  /** In lists: the address that sorts by it, and its order. */
  sort?: { to: string | undefined; sorted: 'ascending' | 'descending' | undefined },
];

/**
 * A table that scrolls sideways if it is too wide. On a phone each row is a few lines of text, with the titles beside the values.
 * @param label names it for screen readers
 * @param columns without those that are false
 * @param empty the sentence instead of a table without rows
 */
export function table<Row>(
  label: string,
  rows: readonly Row[],
  columns: readonly (Column<Row> | false)[],
  empty?: string,
): Html {
  if (rows.length === 0 && empty !== undefined) return nothing(empty);
  const shown = columns.filter((column) => column !== false);
  const cellOf = ([title, cell, look]: Column<Row>, row: Row, index: number) =>
    look === 'row'
      ? element('th', { scope: 'row' }, cell(row, index))
      : element('td', { class: look, 'data-title': typeof title === 'string' && title }, cell(row, index));
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${shown.map(([title, , look, sort]) => {
            const attributes = { class: look === 'number' && look, scope: 'col', 'aria-sort': sort?.sorted };
            return element('th', attributes, sort?.to === undefined ? title : link(sort.to, title));
          })}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, index) =>
            html`<tr>
              ${shown.map((column) => cellOf(column, row, index))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Names with their values, without the empty ones. */
export function pairs(all: readonly (readonly [name: string, value: Part])[]): Html {
  const known = all.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return html`<dl class="pairs">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** The sentence of an empty list. */
export function nothing(sentence: string): Html {
  return html`<p class="nothing">${sentence}</p>`;
}

/** A part of a page that replaces itself. */
interface LivePart {
  id: string;
  /** The address of its newest state; undefined if it does not change any more. */
  from: string | undefined;
  /** Its name for screen readers. */
  label?: string;
  everySeconds?: number;
}

export function livePart({ id, from, label, everySeconds = 5 }: LivePart, body: Part): Html {
  const trigger = from !== undefined && `every ${everySeconds}s`;
  const attributes = { id, 'hx-get': from, 'hx-trigger': trigger, 'hx-swap': trigger && 'outerHTML' };
  return element('section', { ...attributes, 'aria-label': label }, body);
}

/** A part that a script loads after the page, because it takes long; without scripts a link leads to it. */
export function loadedPart(address: string, words: string, before: Part = ''): Html {
  return html`<section hx-get="${address}" hx-trigger="load" aria-live="polite">
    <p>${before} ${link(address, words)}</p>
  </section>`;
}

/** Parts of the page that a live part replaces together with itself once its state is another, by their ids. */
export function replacedParts(parts: Readonly<Record<string, Part>>): Part {
  return [
    ...Object.entries(parts).map(([id, body]) => html`<section id="${id}" hx-swap-oob="true">${body}</section>`),
    // The message of the last form was about the former state.
    html`<div id="message" hx-swap-oob="true"></div>`,
  ];
}

/** Audit entries shown on the page of their subject. */
const AUDIT_SHOWN = 50;

/** The link to the next page of a list; nothing without an address. */
export function nextPage(address: string | false | null | undefined, words = t('Next page')): Part {
  return address && html`<p>${buttonLink(address, words)}</p>`;
}

/** Links to pages, of which one is shown. */
export function tabs(label: string, all: readonly (readonly [path: string, name: string])[], at: string): Html {
  const links = all.map(([path, name]) => element('a', { href: path, 'aria-current': path === at && 'page' }, name));
  return html`<nav class="tabs" aria-label="${label}">${links}</nav>`;
}

/** Audit entries as sentences. */
export function auditTable(label: string, entries: readonly AuditEntryView[], empty?: string): Html {
  return table(
    label,
    entries,
    [
      [t('Time'), ({ id, at }) => link(`/audit/${id}`, moment(at))],
      [t('What happened'), (entry) => auditSentence(entry)],
    ],
    empty,
  );
}

/** The newest audit entries of subjects, with a heading; nothing without entries, and for people of import suppliers. */
export async function auditPart({ database, may }: PageRequest, label: string, ...subjects: string[]): Promise<Part> {
  if (!may('look')) return '';
  const entries = await findAuditOf(database.em(), subjects, AUDIT_SHOWN);
  return (
    entries.length > 0 &&
    html`<h2>${t('Audit')}</h2>
      ${auditTable(label, entries)}`
  );
}
