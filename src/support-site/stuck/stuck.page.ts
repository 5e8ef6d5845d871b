import { retrySelected, unlessAway } from '../../stuck/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { count, link } from '../frame/cells.ts';
import { backTo } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, handler, page, polledPart, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, STUCK } from '../frame/paths.ts';
import { causeTitle } from './cause-words.rules.ts';
import { groupsPart } from './stuck-groups.ts';
import { showGroup, stuckListPages } from './stuck-list.ts';
import { retried, stuckTabs } from './stuck-parts.ts';
import { showRuns } from './stuck-runs.ts';

const RUNS = `${STUCK}/runs`;

/** Stuck work: the work list, the list of a cause, and the runs whose state only Temporal knows. */
export const stuckPages = [
  page(STUCK, showStuck),
  ...stuckListPages,
  polledPart(`${STUCK}/groups`, groupsPart),
  page(RUNS, showOtherRuns),
  handler(`${STUCK}/retry`, 'stuck.retry', retry),
];

async function showStuck(request: PageRequest): Promise<PageAnswer> {
  const { query } = request;
  if (query.get('cause') || query.get('account')) {
    return (query.get('account') ? undefined : await showGroup(request)) ?? showRuns(request);
  }
  const body = html`${stuckTabs(STUCK)} ${await groupsPart(request)}
    <section hx-get="${RUNS}" hx-trigger="load" aria-live="polite">
      <p>${link(RUNS, 'Show other open runs in Temporal')}</p>
    </section>`;
  return { title: 'Stuck', body };
}

/** The causes that only Temporal knows, such as runs that no worker picks up. Read after the page, because it takes seconds. */
async function showOtherRuns(request: PageRequest): Promise<PageAnswer> {
  const fragment = await otherRuns(request);
  return request.isForPart ? { fragment } : { title: 'Other open runs', body: html`${stuckTabs(STUCK)} ${fragment}` };
}

async function otherRuns({ stuck }: PageRequest): Promise<Html> {
  const listed = await unlessAway(() => stuck.list({ pageSize: 1 }));
  if (isRefused(listed)) {
    return html`<p class="fine">
      Temporal is unavailable or overloaded, so runs that have stored no cause are not shown.
    </p>`;
  }
  const stored = new Set((await stuck.groups()).map(({ cause }) => cause));
  const others = listed.counts.filter(({ cause }) => !stored.has(cause));
  const incomplete = !listed.counted_all && 'Not all open runs could be read.';
  if (others.length === 0) return html`<p class="fine">${incomplete || 'No other open run is stuck.'}</p>`;
  return html`<h2>Other open runs</h2>
    <ul>
      ${others.map(({ cause, count: found }) => html`<li>${link(addressOf(STUCK, { cause }), causeTitle(cause))}: ${!listed.counted_all && 'at least '}${count(found)}</li>`)}
    </ul>
    ${incomplete && html`<p class="fine">${incomplete}</p>`}`;
}

async function retry(request: PageRequest): Promise<PageAnswer> {
  const ids = request.form.getAll('id');
  const back = backToStuck(request);
  if (ids.length === 0) return problem(back, 'No item was selected.');
  return retried(back, accepted(await retrySelected(request, request, ids, request.hungUp())));
}

/** A retry returns to the list, or to the page of the item. */
function backToStuck(request: PageRequest): string {
  const back = request.form.get('back') ?? '';
  return back.startsWith(`${STUCK}/items/`) ? back : backTo(request, STUCK);
}
