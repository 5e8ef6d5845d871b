import { checkPage, findLastCheck, recordCheck } from '../../check/index.ts';
import type { CheckPage, MismatchView } from '../../check/check.schema.ts';
import { findAuditEntries } from '../../access/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { addressOf } from '../frame/address.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { CHECK, stuckTabs } from '../stuck/stuck-tabs.ts';
import { addOne, kindsIn, newCheck, type CheckState } from './check-state.rules.ts';
import { checkedBody, foundPart, foundParts, mendForm, mendsPart, summaryPart } from './check-parts.ts';

const RUN = `${CHECK}/run`;
const NEXT = `${RUN}/next`;
const MEND = `${CHECK}/mend`;
const MENDS_SHOWN = 20;
/** After this time a request mends nothing more; the person sends the form again. */
const MENDS_FOR_MS = 8_000;
const TITLE = 'Check of the two stores';

/** Whether Postgres and Temporal agree about what is open: the last check, a new one, and the mending of what it finds. */
export function checkPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: CHECK, action: 'look', show: (request) => showLast(deps, request) },
    {
      method: 'GET',
      path: RUN,
      action: 'look',
      show: (request) =>
        Promise.resolve({ title: TITLE, body: html`${stuckTabs(CHECK)} ${goOn(newCheck(), request)}` }),
    },
    { method: 'GET', path: NEXT, action: 'look', isLong: true, show: (request) => checkMore(deps, request) },
    { method: 'POST', path: MEND, action: 'check.mend', isLong: true, show: (request) => mendMore(deps, request) },
  ];
}

async function showLast(deps: SiteDeps, _request: PageRequest): Promise<PageAnswer> {
  const last = await findLastCheck(deps.database);
  const mends = await findAuditEntries(deps.database.em(), { limit: MENDS_SHOWN, action: 'check.mended' });
  const body = html`${stuckTabs(CHECK)} ${checkedBody(last, deps.clock.now())}
    <form class="row" method="get" action="${RUN}"><button>Compare now</button></form>
    ${mends.length > 0 && mendsPart(mends)}`;
  return { title: TITLE, body };
}

/** A part that asks for the next page by itself; without scripts its link leads there. */
function goOn(state: CheckState, { seal }: PageRequest): Html {
  const next = addressOf(NEXT, { at: seal(JSON.stringify(state)) });
  return html`<section hx-get="${next}" hx-trigger="load" hx-swap="outerHTML" aria-live="polite">
    <p>It compares, some seconds at a time; nothing is changed. <a href="${next}">Go on</a></p>
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
    await recordCheck(deps.database, request.actor, { found: state.found, lookedAt: state.lookedAt });
  }
  const body = html`${foundPart(page.mismatches, deps)}
  ${isOver ? html`${summaryPart(state)} ${request.may('check.mend') && mendForm(state, MEND, request)}` : goOn(state, request)}`;
  return shown(body, request);
}

/** @returns whether it is through */
function advance(state: CheckState, { looked_at: lookedAt, next_cursor: next }: CheckPage): boolean {
  state.lookedAt += lookedAt;
  state.cursor = next;
  return next === null;
}

async function mendMore(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, actor, hungUp } = request;
  const at = form.get('at');
  const state = at === null ? newCheck(kindsIn(form.getAll('kind'))) : stateIn(at, request);
  if (isRefused(state)) return state;
  if (state.kinds.length === 0 || form.get('confirmed') !== 'yes') {
    const detail = 'Mark what is to be mended, and that you have looked at it.';
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
  const body = html`${foundParts(mended, deps)} ${isOver ? mendedPart(state) : mendOn(state, request)}`;
  return shown(body, request);
}

function mendOn(state: CheckState, { formToken, seal }: PageRequest): Html {
  return html`<form method="post" action="${MEND}">
    ${formToken}<input type="hidden" name="at" value="${seal(JSON.stringify(state))}" />
    <input type="hidden" name="confirmed" value="yes" />
    <p>More is left. <button>Go on mending</button></p>
  </form>`;
}

function mendedPart(state: CheckState): Html {
  const count = Object.values(state.mended).reduce((sum, more) => sum + more, 0);
  return html`<p class="flash flash-done" role="status">
      ${count} mended. Each stands in the audit. Compare again to see what is left.
    </p>
    <p><a class="button" href="${RUN}">Compare again</a> <a href="${CHECK}">To the last check</a></p>`;
}

function shown(body: Html, { isForPart }: PageRequest): PageAnswer {
  return isForPart ? { fragment: body } : { title: TITLE, body: html`${stuckTabs(CHECK)} ${body}` };
}

/** A state comes back as it was given, and only in the session that it was given to; without one a check begins. */
function stateIn(sealed: string | null, { unseal }: PageRequest): CheckState | Refused {
  if (sealed === null) return newCheck();
  const text = unseal(sealed);
  if (text === undefined) {
    return refuse('validation_failed', { detail: 'This is no place of a check in this session. Begin it anew.' });
  }
  return JSON.parse(text) as CheckState;
}
