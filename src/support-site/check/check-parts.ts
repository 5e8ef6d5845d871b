import { mismatchKinds, type MismatchKind, mismatchRemedies } from '../../vocabulary/mismatches.ts';
import { accountPath } from '../frame/paths.ts';
import type { AuditEntryView } from '../../access/index.ts';
import type { CheckResult } from '../../check/index.ts';
import type { MismatchView } from '../../check/check.schema.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { badge, count, fromNow, linkAway, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { auditTable } from '../frame/list-parts.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';
import { messagePath } from '../messages/message-list.ts';

const NAMES: Readonly<Record<MismatchKind, string>> = {
  open_without_work_item: 'open process without a work item',
  work_item_without_run: 'work item without a run',
  run_without_work_item: 'run without a work item',
  slot_without_holder: 'slot without a holder',
  account_quarantined: 'quarantined account',
  message_without_account: 'message without an account',
};

/** Kinds whose subject is a run in Temporal. */
const OF_RUNS: ReadonlySet<MismatchKind> = new Set([
  'open_without_work_item',
  'work_item_without_run',
  'run_without_work_item',
  'account_quarantined',
]);

/** The results of the last check. */
export function checkedBody(last: (CheckResult & { at: string; by: string }) | undefined, now: Date): Html {
  return html`<p class="fine">
      A check compares the open work in Postgres, which is the source of truth, with the runs in Temporal. Use it after
      a restore, for example. It changes nothing.
    </p>
    ${
      last === undefined
        ? nothing('No check has run yet.')
        : html`<h2>Last check</h2>
            <p>${fromNow(last.at, now)} (${moment(last.at)}) by ${last.by}. Items compared: ${count(last.compared)}.</p>
            ${byKindTable(last.found)}`
    }`;
}

/** The results of a complete check. */
export function summaryPart({ found, lookedAt }: CheckState): Html {
  return html`<h2>All findings</h2>
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
    : table('Findings by kind', ['Finding', 'Number', 'What to do'], rows);
}

/** The findings or repairs of one kind. */
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
    ${table(`Found: ${name}`, ['Subject', 'Account', 'Since', 'Detail', ''], rows)}`;
}

/** The findings of several pages, by kind. */
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
  return mendable ? badge('can be repaired', 'plain') : badge('needs a decision', 'warn');
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

/** The form that repairs the selected kinds of findings. */
export function repairForm({ mended: mendable }: CheckState, action: string, { formToken }: PageRequest): Html {
  const kinds = membersOf(mismatchKinds).filter((kind) => mendable[kind] !== undefined);
  if (kinds.length === 0) return html``;
  return html`<h2>Repair</h2>
    <form class="narrow" method="post" action="${action}">
      ${formToken}
      ${kinds.map(
        (kind) =>
          html`<label
            ><input type="checkbox" name="kind" value="${kind}" /> ${NAMES[kind]} (${count(mendable[kind] ?? 0)})</label
          >`,
      )}
      <p class="fine">New findings of these kinds, which appeared after the check, are repaired too.</p>
      <label><input type="checkbox" name="confirmed" value="yes" required /> I have checked the findings.</label>
      <button class="danger">Repair the selected kinds</button>
    </form>`;
}

/** The last repairs. */
export function repairsPart(entries: readonly AuditEntryView[]): Html {
  return html`<h2>Last repairs</h2>
    ${auditTable('Last repairs', entries)}
    <p><a href="/audit?action=check.mended">All repairs in the audit</a></p>`;
}

/** The progress of a check, which continues with the next request. */
export interface CheckState {
  cursor: string | null;
  lookedAt: number;
  found: Partial<Record<MismatchKind, number>>;
  /** Findings that can be repaired, or were repaired. */
  mended: Partial<Record<MismatchKind, number>>;
  /** The kinds to repair; empty for a check. */
  kinds: MismatchKind[];
}

export function newCheck(kinds: MismatchKind[] = []): CheckState {
  return { cursor: null, lookedAt: 0, found: {}, mended: {}, kinds };
}

/** The kinds that a form names; other names are ignored. */
export function kindsIn(names: readonly string[]): MismatchKind[] {
  return names.filter((name): name is MismatchKind => Object.hasOwn(mismatchKinds, name));
}

export function addOne(counts: Partial<Record<MismatchKind, number>>, kind: MismatchKind): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}
