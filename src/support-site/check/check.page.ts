import { findAuditEntries } from '../../access/index.ts';
import { checkPage, findLastCheck, recordCheck, type CheckResult } from '../../check/index.ts';
import type { CheckPage, MismatchView } from '../../check/check.schema.ts';
import { mismatchKinds, mismatchRemedies, type MismatchKind } from '../../vocabulary/mismatches.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { badge, buttonLink, code, count, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import { auditTable, nothing, table } from '../frame/parts.ts';
import { filterForm, form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accepted, handler, invalid, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, messagePath, AUDIT } from '../frame/paths.ts';
import { CHECK, stuckTabs } from '../stuck/stuck-parts.ts';

const RUN = `${CHECK}/run`;
const NEXT = `${RUN}/next`;
const REPAIR = `${CHECK}/mend`;
const MENDED = 'check.mended';
const MENDS_SHOWN = 20;
/** A request repairs for this time at most; the person sends the form again. */
const MENDS_FOR_MS = 8_000;

const NAMES: Readonly<Record<MismatchKind, string>> = {
  open_without_work_item: 'open process without a work item',
  work_item_without_run: 'work item without a run',
  run_without_work_item: 'run without a work item',
  slot_without_holder: 'slot without a holder',
  account_quarantined: 'quarantined account',
  message_without_account: 'message without an account',
  rows_without_partition: 'rows without a partition',
};
const KINDS = membersOf(mismatchKinds);

/** The progress of a check, which continues with the next request. */
interface CheckState {
  cursor: string | null;
  lookedAt: number;
  found: Partial<Record<MismatchKind, number>>;
  /** Findings that can be repaired, or were repaired. */
  mended: Partial<Record<MismatchKind, number>>;
  /** The kinds to repair; empty for a check. */
  kinds: MismatchKind[];
}

function newCheck(kinds: MismatchKind[] = []): CheckState {
  return { cursor: null, lookedAt: 0, found: {}, mended: {}, kinds };
}

/** The check of Postgres against Temporal: the last results, a new check, and repairs. */
export const checkPages = [
  page(CHECK, async (request) => shown(await lastPart(request), request)),
  page(RUN, (request) => shown(continuePart(newCheck(), request), request)),
  page(NEXT, checkMore, { isLong: true }),
  handler(REPAIR, 'check.mend', repairMore, true),
];

function shown(body: Html, { isForPart }: PageRequest): PageAnswer {
  return isForPart ? { fragment: body } : { title: 'Consistency check', body: html`${stuckTabs(CHECK)} ${body}` };
}

/** The results of the last check, and the last repairs. */
async function lastPart({ database, now }: PageRequest): Promise<Html> {
  const last = await findLastCheck(database);
  const repairs = await findAuditEntries(database.em(), { limit: MENDS_SHOWN, action: MENDED });
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
    }
    ${filterForm({ action: RUN, button: 'Start a check' })}
    ${
      repairs.length > 0 &&
      html`<h2>Last repairs</h2>
        ${auditTable('Last repairs', repairs)}
        <p>${link(addressOf(AUDIT, { action: MENDED }), 'All repairs in the audit')}</p>`
    }`;
}

/** A part that loads the next page automatically; without scripts its link does. */
function continuePart(state: CheckState, { seal }: PageRequest): Html {
  const next = addressOf(NEXT, { at: seal(JSON.stringify(state)) });
  return html`<section hx-get="${next}" hx-trigger="load" hx-swap="outerHTML" aria-live="polite">
    <p>The check is in progress and changes nothing. ${link(next, 'Continue')}</p>
  </section>`;
}

async function checkMore(request: PageRequest): Promise<PageAnswer> {
  const { hungUp } = request;
  const state = stateIn(request.query.get('at'), request);
  const found = accepted(await checkPage(request, { cursor: state.cursor ?? undefined, hungUp: hungUp() }));
  for (const { kind, mendable } of found.mismatches) {
    addOne(state.found, kind);
    if (mendable) addOne(state.mended, kind);
  }
  const isOver = advance(state, found);
  if (isOver && !hungUp().aborted) {
    await recordCheck(request.database, request.actor, { found: state.found, compared: state.lookedAt });
  }
  const after = isOver ? summaryPart(state, request) : continuePart(state, request);
  return shown(html`${foundPart(found.mismatches, request)} ${after}`, request);
}

function addOne(counts: CheckState['found'], kind: MismatchKind): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/** @returns whether the check is complete */
function advance(state: CheckState, { looked_at: lookedAt, next_cursor: next }: CheckPage): boolean {
  state.lookedAt += lookedAt;
  state.cursor = next;
  return next === null;
}

async function repairMore(request: PageRequest): Promise<PageAnswer> {
  const { form: sent, actor } = request;
  const at = sent.get('at');
  const kinds = KINDS.filter((kind) => sent.getAll('kind').includes(kind));
  const state = at === null ? newCheck(kinds) : stateIn(at, request);
  if (state.kinds.length === 0 || sent.get('confirmed') !== 'yes') {
    invalid('Select the kinds to repair, and confirm that you have checked them.');
  }
  const until = performance.now() + MENDS_FOR_MS;
  const order = { actor, kinds: new Set(state.kinds), hungUp: request.hungUp() };
  const mended: MismatchView[] = [];
  let isOver = false;
  while (!isOver && performance.now() < until && !order.hungUp.aborted) {
    const found = accepted(await checkPage(request, { ...order, cursor: state.cursor ?? undefined }));
    for (const one of found.mismatches.filter(({ outcome }) => outcome !== null)) {
      addOne(state.mended, one.kind);
      mended.push(one);
    }
    isOver = advance(state, found);
  }
  const byKind = KINDS.map((kind) => mended.filter((one) => one.kind === kind));
  const after = isOver ? repairedPart(state) : continueRepair(state, request);
  return shown(html`${byKind.map((some) => foundPart(some, request))} ${after}`, request);
}

/** Reads the state of a check, which only the session that started it can open; without one a new check begins. */
function stateIn(sealed: string | null, { unseal }: PageRequest): CheckState {
  if (sealed === null) return newCheck();
  const text = unseal(sealed) ?? invalid('This link belongs to another session. Start the check again.');
  return JSON.parse(text) as CheckState;
}

function continueRepair(state: CheckState, request: PageRequest): Html {
  return form(request, {
    action: REPAIR,
    hidden: { at: request.seal(JSON.stringify(state)), confirmed: 'yes' },
    fields: [html`<p>There are more findings to repair.</p>`],
    button: 'Continue the repair',
    look: 'plain',
  });
}

function repairedPart(state: CheckState): Html {
  const number = Object.values(state.mended).reduce((sum, more) => sum + more, 0);
  return html`<p class="flash flash-done" role="status">
      ${number} ${number === 1 ? 'finding was' : 'findings were'} repaired and audited. Check again to see the remaining
      findings.
    </p>
    <p>${buttonLink(RUN, 'Check again', 'plain')} ${link(CHECK, 'Back to the last check')}</p>`;
}

/** The results of a complete check, and the form that repairs findings. */
function summaryPart(state: CheckState, request: PageRequest): Html {
  return html`<h2>All findings</h2>
    <p role="status">${count(state.lookedAt)} compared.</p>
    ${byKindTable(state.found)} ${request.may('check.mend') && repairForm(state, request)}`;
}

function byKindTable(found: CheckResult['found']): Html {
  const kinds = KINDS.filter((kind) => found[kind] !== undefined);
  if (kinds.length === 0) return html`<p class="flash flash-done">Postgres and Temporal agree.</p>`;
  return table('Findings by kind', kinds, [
    ['Finding', (kind) => badge(NAMES[kind], 'warn')],
    ['Number', (kind) => count(found[kind] ?? 0), 'number'],
    ['What to do', (kind) => mismatchRemedies[kind], 'advice'],
  ]);
}

/** The findings or repairs of one kind. */
function foundPart(mismatches: readonly MismatchView[], { runAddress }: PageRequest): Part {
  const [first] = mismatches;
  if (first === undefined) return '';
  const name = NAMES[first.kind];
  return html`<h3>${name}</h3>
    ${table(`Found: ${name}`, mismatches, [
      ['Subject', (one) => subjectOf(one, runAddress)],
      ['Account', accountsOf],
      ['Since', ({ since }) => moment(since)],
      ['Detail', ({ detail }) => detail, 'advice'],
      ['', stateOf],
    ])}`;
}

function stateOf({ outcome, mendable }: MismatchView): Html {
  if (outcome !== null) return badge(outcome, 'good');
  return mendable ? badge('can be repaired', 'plain') : badge('needs a decision', 'warn');
}

function subjectOf({ kind, subject }: MismatchView, runAddress: PageRequest['runAddress']): Html {
  if (kind === 'message_without_account') return link(messagePath(subject), code(subject));
  // The subject of the other kinds is a run in Temporal.
  return kind === 'slot_without_holder' || kind === 'rows_without_partition'
    ? code(subject)
    : linkAway(runAddress(subject), code(subject));
}

function accountsOf({ kind, accounts }: MismatchView): Html {
  const [first] = accounts;
  if (first === undefined) return html`<span class="none">–</span>`;
  const { import_supplier: supplier, external_account_number: external } = first;
  const name = code(`${supplier}/${external}`);
  const hasPage = kind !== 'message_without_account';
  return html`${hasPage ? link(accountPath(supplier, external), name) : name}
  ${accounts.length > 1 && html` and ${accounts.length - 1} more`}`;
}

function repairForm({ mended: mendable }: CheckState, request: PageRequest): Part {
  const kinds = KINDS.filter((kind) => mendable[kind] !== undefined);
  if (kinds.length === 0) return '';
  const boxes = kinds.map(
    (kind) =>
      html`<label
        ><input type="checkbox" name="kind" value="${kind}" /> ${NAMES[kind]} (${count(mendable[kind] ?? 0)})</label
      >`,
  );
  return html`<h2>Repair</h2>
    ${form(request, {
      action: REPAIR,
      fields: [
        html`${boxes}
          <p class="fine">New findings of these kinds, which appeared after the check, are repaired too.</p>
          <label><input type="checkbox" name="confirmed" value="yes" required /> I have checked the findings.</label>`,
      ],
      button: 'Repair the selected kinds',
      tone: 'danger',
    })}`;
}
