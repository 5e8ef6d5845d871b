import { checkPage, findLastCheck, recordCheck } from '../../check/index.ts';
import type { CheckPage, MismatchView } from '../../check/check.schema.ts';
import { findAuditEntries } from '../../access/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { addressOf } from '../frame/paths.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { CHECK, stuckTabs } from '../stuck/stuck-parts.ts';
import {
  addOne,
  kindsIn,
  newCheck,
  type CheckState,
  checkedBody,
  foundPart,
  foundParts,
  repairForm,
  repairsPart,
  summaryPart,
} from './check-parts.ts';

const RUN = `${CHECK}/run`;
const NEXT = `${RUN}/next`;
const REPAIR = `${CHECK}/mend`;
const MENDS_SHOWN = 20;
/** A request repairs for this time at most; the person sends the form again. */
const MENDS_FOR_MS = 8_000;
const TITLE = 'Consistency check';

/** The check of Postgres against Temporal: the last results, a new check, and repairs. */
export function checkPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: CHECK, action: 'look', show: (request) => showLast(deps, request) },
    {
      method: 'GET',
      path: RUN,
      action: 'look',
      show: (request) =>
        Promise.resolve({ title: TITLE, body: html`${stuckTabs(CHECK)} ${continuePart(newCheck(), request)}` }),
    },
    { method: 'GET', path: NEXT, action: 'look', isLong: true, show: (request) => checkMore(deps, request) },
    { method: 'POST', path: REPAIR, action: 'check.mend', isLong: true, show: (request) => repairMore(deps, request) },
  ];
}

async function showLast(deps: SiteDeps, _request: PageRequest): Promise<PageAnswer> {
  const last = await findLastCheck(deps.database);
  const repairs = await findAuditEntries(deps.database.em(), { limit: MENDS_SHOWN, action: 'check.mended' });
  const body = html`${stuckTabs(CHECK)} ${checkedBody(last, deps.clock.now())}
    <form class="row" method="get" action="${RUN}"><button>Start a check</button></form>
    ${repairs.length > 0 && repairsPart(repairs)}`;
  return { title: TITLE, body };
}

/** A part that loads the next page automatically; without scripts its link does. */
function continuePart(state: CheckState, { seal }: PageRequest): Html {
  const next = addressOf(NEXT, { at: seal(JSON.stringify(state)) });
  return html`<section hx-get="${next}" hx-trigger="load" hx-swap="outerHTML" aria-live="polite">
    <p>The check is in progress and changes nothing. <a href="${next}">Continue</a></p>
  </section>`;
}

async function checkMore(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const state = stateIn(request.query.get('at'), request);
  if (isRefused(state)) return state;
  const page = await checkPage(deps, { cursor: state.cursor ?? undefined, hungUp: request.hungUp() });
  if (isRefused(page)) return page;
  for (const one of page.mismatches) {
    addOne(state.found, one.kind);
    if (one.mendable) addOne(state.mended, one.kind);
  }
  const isOver = advance(state, page);
  if (isOver && !request.hungUp().aborted) {
    await recordCheck(deps.database, request.actor, { found: state.found, compared: state.lookedAt });
  }
  const body = html`${foundPart(page.mismatches, deps)}
  ${isOver ? html`${summaryPart(state)} ${request.may('check.mend') && repairForm(state, REPAIR, request)}` : continuePart(state, request)}`;
  return shown(body, request);
}

/** @returns whether the check is complete */
function advance(state: CheckState, { looked_at: lookedAt, next_cursor: next }: CheckPage): boolean {
  state.lookedAt += lookedAt;
  state.cursor = next;
  return next === null;
}

async function repairMore(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, actor, hungUp } = request;
  const at = form.get('at');
  const state = at === null ? newCheck(kindsIn(form.getAll('kind'))) : stateIn(at, request);
  if (isRefused(state)) return state;
  if (state.kinds.length === 0 || form.get('confirmed') !== 'yes') {
    const detail = 'Select the kinds to repair, and confirm that you have checked them.';
    return refuse('validation_failed', { detail });
  }
  const until = performance.now() + MENDS_FOR_MS;
  const order = { actor, kinds: new Set(state.kinds), hungUp: hungUp() };
  const mended: MismatchView[] = [];
  let isOver = false;
  while (!isOver && performance.now() < until && !order.hungUp.aborted) {
    const page = await checkPage(deps, { ...order, cursor: state.cursor ?? undefined });
    if (isRefused(page)) return page;
    for (const one of page.mismatches.filter(({ outcome }) => outcome !== null)) {
      addOne(state.mended, one.kind);
      mended.push(one);
    }
    isOver = advance(state, page);
  }
  const body = html`${foundParts(mended, deps)} ${isOver ? repairedPart(state) : continueRepair(state, request)}`;
  return shown(body, request);
}

function continueRepair(state: CheckState, { formToken, seal }: PageRequest): Html {
  return html`<form method="post" action="${REPAIR}">
    ${formToken}<input type="hidden" name="at" value="${seal(JSON.stringify(state))}" />
    <input type="hidden" name="confirmed" value="yes" />
    <p>There are more findings to repair. <button>Continue the repair</button></p>
  </form>`;
}

function repairedPart(state: CheckState): Html {
  const count = Object.values(state.mended).reduce((sum, more) => sum + more, 0);
  return html`<p class="flash flash-done" role="status">
      ${count} ${count === 1 ? 'finding was' : 'findings were'} repaired and audited. Check again to see the remaining
      findings.
    </p>
    <p><a class="button" href="${RUN}">Check again</a> <a href="${CHECK}">Back to the last check</a></p>`;
}

function shown(body: Html, { isForPart }: PageRequest): PageAnswer {
  return isForPart ? { fragment: body } : { title: TITLE, body: html`${stuckTabs(CHECK)} ${body}` };
}

/** Reads the state of a check, which only the session that started it can open; without one a new check begins. */
function stateIn(sealed: string | null, { unseal }: PageRequest): CheckState | Refused {
  if (sealed === null) return newCheck();
  const text = unseal(sealed);
  if (text === undefined) {
    return refuse('validation_failed', { detail: 'This link belongs to another session. Start the check again.' });
  }
  return JSON.parse(text) as CheckState;
}
