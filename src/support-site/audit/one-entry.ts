import { accountPath, addressOf } from '../frame/paths.ts';
import { isDeepStrictEqual } from 'node:util';
import { findAuditEntry } from '../../access/index.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { moment, table } from '../frame/elements.ts';
import { readable } from '../frame/readable.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageAnswer, SiteDeps } from '../frame/page.ts';

/** One entry with each member that it changed. */
export async function showEntry({ database }: SiteDeps, id: string): Promise<PageAnswer> {
  const entry = await findAuditEntry(database.em(), id);
  if (entry === undefined) return refuse('not_found', { detail: 'The audit has no entry with this id.' });
  const { at, actor, action, subject, before, after, reason } = entry;
  const pairs: [string, Part][] = [
    ['Time', html`${moment(at)}`],
    ['Actor', html`<a href="${addressOf('/audit', { actor: actor.name })}">${actor.name}</a>`],
    ['Key', actor.key_id === null ? '–' : html`<code>${actor.key_id}</code>`],
    ['Action', html`<a href="${addressOf('/audit', { action })}"><code>${action}</code></a>`],
    ['Subject', subjectPart(subject)],
    ['Reason', reason ?? '–'],
  ];
  return {
    title: `Audit: ${action}`,
    body: html`<dl class="pairs">
        ${pairs.map(
          ([head, value]) =>
            html`<dt>${head}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      ${changesPart(before, after)}
      <p class="fine">Entry <code>${id}</code></p>`,
  };
}

/** The subject, with links to its other entries and to its page. */
function subjectPart(subject: string): Html {
  const place = pageOf(subject);
  return html`<a href="${addressOf('/audit', { subject })}"><code>${subject}</code></a>
    ${place !== undefined && html` (<a href="${place}">open</a>)`}`;
}

/** Subjects of an account. A number that contains "/" is ambiguous, so it gets no link. */
const OF_ACCOUNT =
  /^(?:accounts|account-import-processes)\/([^/]+)\/([^/]+)(?:\/(?:skip|switch-status|supply-point-claim|switch-requests|notes\/\d+\/pin))?$/;

function pageOf(subject: string): string | undefined {
  const [, supplier, external] = OF_ACCOUNT.exec(subject) ?? [];
  if (supplier !== undefined && external !== undefined) return accountPath(supplier, external);
  const [, code] = /^import-suppliers\/(.+)$/.exec(subject) ?? [];
  return code === undefined ? undefined : `/settings/suppliers/${encodeURIComponent(code)}`;
}

function changesPart(before: unknown, after: unknown): Html {
  if (before === null && after === null) return html``;
  const was = isJsonObject(before) ? before : {};
  const is = isJsonObject(after) ? after : {};
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const rows = names
    .filter((name) => before === null || after === null || !isDeepStrictEqual(was[name], is[name]))
    .map(
      (name) =>
        html`<tr>
          <td>${name.replaceAll('_', ' ')}</td>
          <td>${valuePart(was, name)}</td>
          <td>${valuePart(is, name)}</td>
        </tr>`,
    );
  return html`${rows.length > 0 && table('Changes', ['Field', 'Before', 'After'], rows)}
    <details>
      <summary>The whole entry</summary>
      ${readable({ before, after })}
    </details>`;
}

function valuePart(members: Record<string, unknown>, name: string): Html | undefined {
  return Object.hasOwn(members, name) ? readable(members[name]) : undefined;
}
