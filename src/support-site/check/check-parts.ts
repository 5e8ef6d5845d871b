import { accountPath } from '../frame/paths.ts';
import type { AuditEntryView } from '../../access/index.ts';
import type { CheckResult } from '../../check/index.ts';
import type { MismatchView } from '../../check/check.schema.ts';
import { mismatchKinds, mismatchRemedies, type MismatchKind } from '../../vocabulary/mismatches.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { badge, count, fromNow, linkAway, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { auditTable } from '../frame/list-parts.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';
import { messagePath } from '../messages/message-list.ts';
import type { CheckState } from './check-state.rules.ts';

/** What each kind is called. */
const NAMES: Readonly<Record<MismatchKind, string>> = {
  open_without_work_item: 'open, and nothing goes on with it',
  work_item_without_run: 'work without its run',
  run_without_work_item: 'run that nothing asks for',
  slot_without_holder: 'slot that nobody holds',
  account_quarantined: 'quarantined account',
  message_without_account: 'message without its account',
};

/** Kinds whose subject is a run in Temporal. */
const OF_RUNS: ReadonlySet<MismatchKind> = new Set([
  'open_without_work_item',
  'work_item_without_run',
  'run_without_work_item',
  'account_quarantined',
]);

/** What the last check has found. */
export function checkedBody(last: (CheckResult & { at: string; by: string }) | undefined, now: Date): Html {
  return html`<p class="fine">
      Postgres is the truth, Temporal does the work. A check compares what is open in one with what runs in the other,
      as after a restore. It changes nothing.
    </p>
    ${
      last === undefined
        ? nothing('No check has been made here yet.')
        : html`<h2>The last check</h2>
            <p>${fromNow(last.at, now)} (${moment(last.at)}) by ${last.by}: ${count(last.lookedAt)} compared.</p>
            ${byKindTable(last.found)}`
    }`;
}

/** What a check that is through has found. */
export function summaryPart({ found, lookedAt }: CheckState): Html {
  return html`<h2>Found in all</h2>
    <p role="status">${count(lookedAt)} compared.</p>
    ${byKindTable(found)}`;
}

function byKindTable(found: CheckResult['found']): Html {
  const rows = membersOf(mismatchKinds).flatMap((kind) =>
    found[kind] === undefined
      ? []
      : [
          html`<tr>
            <td>${badge(NAMES[kind], 'warn')}</td>
            <td class="number">${count(found[kind])}</td>
            <td class="advice">${mismatchRemedies[kind]}</td>
          </tr>`,
        ],
  );
  return rows.length === 0
    ? html`<p class="flash flash-done">Postgres and Temporal agree.</p>`
    : table('What was found, by kind', ['What', 'How many', 'What to do'], rows);
}

/** What a page of a check has found, or mended: all of one kind. */
export function foundPart(mismatches: readonly MismatchView[], deps: Pick<SiteDeps, 'runAddress'>): Html {
  const [first] = mismatches;
  if (first === undefined) return html``;
  const rows = mismatches.map(
    (one) =>
      html`<tr>
        <td>${subjectOf(one, deps)}</td>
        <td>${accountsOf(one)}</td>
        <td>${moment(one.since)}</td>
        <td class="advice">${one.detail}</td>
        <td>${stateOf(one)}</td>
      </tr>`,
  );
  const name = NAMES[first.kind];
  return html`<h3>${name}</h3>
    ${table(`Found: ${name}`, ['What', 'Account', 'Since', 'Detail', ''], rows)}`;
}

/** The same of several pages, kind by kind. */
export function foundParts(mismatches: readonly MismatchView[], deps: Pick<SiteDeps, 'runAddress'>): Html[] {
  return membersOf(mismatchKinds).map((kind) =>
    foundPart(
      mismatches.filter((one) => one.kind === kind),
      deps,
    ),
  );
}

function stateOf({ outcome, mendable }: MismatchView): Html {
  if (outcome !== null) return badge(outcome, 'good');
  return mendable ? badge('can be mended', 'plain') : badge('decide', 'warn');
}

function subjectOf({ kind, subject }: MismatchView, { runAddress }: Pick<SiteDeps, 'runAddress'>): Part {
  const name = html`<code>${subject}</code>`;
  if (kind === 'message_without_account') return html`<a href="${messagePath(subject)}">${name}</a>`;
  return OF_RUNS.has(kind) ? linkAway(runAddress(subject), name) : name;
}

function accountsOf({ kind, accounts }: MismatchView): Html {
  const [first] = accounts;
  if (first === undefined) return html`<span class="none">–</span>`;
  const { import_supplier: supplier, external_account_number: external } = first;
  const name = html`<code>${supplier}/${external}</code>`;
  const more = accounts.length > 1 && html` and ${accounts.length - 1} more`;
  return kind === 'message_without_account'
    ? html`${name}${more}`
    : html`<a href="${accountPath(supplier, external)}">${name}</a>${more}`;
}

/** What was found is the preview; nothing is mended that is not marked. */
export function mendForm({ mended: mendable }: CheckState, action: string, { formToken }: PageRequest): Html {
  const kinds = membersOf(mismatchKinds).filter((kind) => mendable[kind] !== undefined);
  if (kinds.length === 0) return html``;
  return html`<h2>Mend</h2>
    <form class="narrow" method="post" action="${action}">
      ${formToken}
      ${kinds.map(
        (kind) =>
          html`<label
            ><input type="checkbox" name="kind" value="${kind}" /> ${NAMES[kind]} (${count(mendable[kind] ?? 0)})</label
          >`,
      )}
      <p class="fine">What is found of these kinds when it is mended counts, also what has come since.</p>
      <label><input type="checkbox" name="confirmed" value="yes" required /> I have looked at what was found.</label>
      <button class="danger">Mend what is marked</button>
    </form>`;
}

/** What was mended last. */
export function mendsPart(entries: readonly AuditEntryView[]): Html {
  return html`<h2>Mended last</h2>
    ${auditTable('Mended last', entries)}
    <p><a href="/audit?action=check.mended">All of it in the audit</a></p>`;
}
