import {
  accountPath,
  certificatePath,
  claimPath,
  endpointPath,
  addressOf,
  batchPath,
  deferredPath,
} from '../frame/paths.ts';
import { readCursor, retryPageOfCause, retrySelected, temporalAway } from '../../stuck/index.ts';
import type { StuckList, StuckView } from '../../stuck/stuck.schema.ts';
import { isTemporalAway } from '../../platform/temporal/temporal-faults.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { messagePath } from '../messages/message-list.ts';
import { adviceOnSite, mayBeRetried } from '../frame/site-advice.rules.ts';
import { outcomeOf, stuckTabs } from './stuck-parts.ts';
import { badge, count, fromNow, linkAway, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { causeCard, selectAll, selectCell, nextPage } from '../frame/list-parts.ts';
import { polledPart, type Page, type PageAnswer, type PageRequest, type SiteDeps } from '../frame/page.ts';

const POLL = 'every 5s';

/** Stuck work by cause with advice, and the forms that retry it. */
export function stuckPages(deps: SiteDeps): Page[] {
  return [
    {
      method: 'GET',
      path: '/stuck',
      action: 'look',
      menu: 'Stuck',
      show: async (request) => {
        const list = await readList(deps, request.query);
        if (isRefused(list)) return list;
        const all = await readList(deps, new URLSearchParams());
        if (isRefused(all)) return all;
        return {
          title: 'Stuck',
          body: html`${stuckTabs('/stuck')} ${countsPart(all, request, deps)} ${listPart(list, request, deps)}`,
        };
      },
    },
    polledPart('/stuck/counts', async (request) => {
      const list = await readList(deps, new URLSearchParams());
      return isRefused(list) ? list : countsPart(list, request, deps);
    }),
    { method: 'POST', path: '/stuck/retry', action: 'stuck.retry', show: (request) => retry(deps, request) },
    { method: 'POST', path: '/stuck/retry-cause', action: 'stuck.retry', show: (request) => retryCause(deps, request) },
  ];
}

async function readList({ stuck }: SiteDeps, query: URLSearchParams): Promise<StuckList | Refused> {
  const after = readCursor(query.get('cursor'));
  if (isRefused(after)) return after;
  try {
    return await stuck.list({
      cause: query.get('cause') || undefined,
      account: query.get('account')?.replaceAll('\0', ' ') || undefined,
      after,
    });
  } catch (error) {
    if (isTemporalAway(error)) return temporalAway();
    throw error;
  }
}

/** The number of items by cause, which refreshes. The list does not, so that its selection is kept. */
function countsPart({ counts, total, counted_all: isAll }: StuckList, { query }: PageRequest, deps: SiteDeps): Html {
  const chosen = query.get('cause');
  const now = deps.clock.now();
  const polledAt = addressOf('/stuck/counts', { cause: chosen });
  return html`<section id="counts" hx-get="${polledAt}" hx-trigger="${POLL}" hx-swap="outerHTML" aria-label="Causes">
    <div class="cards causes">${counts.map((one) => causeCard(one, { isWhole: isAll, chosen }))}</div>
    <p class="fine">
      ${isAll ? '' : 'At least '}${count(total)} stuck, as of ${moment(now)}.
      ${chosen !== null && html`<a href="/stuck">All causes</a>`}
    </p>
  </section>`;
}

function listPart(list: StuckList, request: PageRequest, deps: SiteDeps): Html {
  if (list.stuck.length === 0) {
    return nothing(
      request.query.get('cause') === null && list.counted_all
        ? 'No work is stuck.'
        : 'No stuck work matches this selection.',
    );
  }
  const cause = request.query.get('cause');
  const next = list.next_cursor;
  const mayRetry = request.may('stuck.retry') && list.stuck.some(mayBeRetried);
  const now = deps.clock.now();
  const rows = list.stuck.map((one) => rowOf(one, { deps, mayRetry, now }));
  const heads = ['Kind', 'Subject', 'Cause', 'Stuck since', 'Attempts', 'Next attempt', 'What to do'];
  const to = addressOf('/stuck', { cause, account: request.query.get('account'), cursor: next });
  const onward = next !== null && nextPage(to);
  const label = 'Stuck work, oldest first';
  if (!mayRetry) return html`${table(label, heads, rows)} ${onward}`;
  return html`${cause !== null && retryAll(cause, request, list)}
    <form method="post" action="/stuck/retry">
      ${request.formToken}<input type="hidden" name="back" value="${request.here}" />
      ${table(label, [selectAll('id'), ...heads], rows)}
      <p class="row"><button>Retry the selected items</button></p>
    </form>
    ${onward}`;
}

function retryAll(cause: string, { formToken, query }: PageRequest, { total }: StuckList): Html {
  return html`<form class="row" method="post" action="/stuck/retry-cause">
    ${formToken}<input type="hidden" name="cause" value="${cause}" />
    <input type="hidden" name="cursor" value="${query.get('cursor') ?? ''}" />
    <button class="quiet">Retry the next 50 with this cause</button>
    <span class="fine">${count(total)} stuck with the cause <code>${cause}</code></span>
  </form>`;
}

function rowOf(one: StuckView, { deps, mayRetry, now }: { deps: SiteDeps; mayRetry: boolean; now: Date }): Html {
  const run = one.workflow_id === '' ? undefined : deps.runAddress(one.workflow_id);
  const name = subjectOf(one);
  return html`<tr>
    ${mayRetry && (mayBeRetried(one) ? selectCell('id', one.id, `${one.kind} of ${name}`) : html`<td></td>`)}
    <td>${one.kind}${run !== undefined && html`<br /><small>${linkAway(run, 'Open the run')}</small>`}</td>
    <td>
      <a href="${pathOf(one)}"><code>${name}</code></a>
    </td>
    <td>
      ${badge(one.cause, one.paused ? 'warn' : 'plain')}
      ${one.last_failure !== null && html`<br /><small>${one.last_failure.message}</small>`}
    </td>
    <td>${fromNow(one.waiting_since, now)}</td>
    <td class="number">${one.attempt}</td>
    <td>${one.paused ? 'paused' : fromNow(one.next_attempt_at, now)}</td>
    <td class="advice">${adviceOnSite(one)}</td>
  </tr>`;
}

/** The subject of an item. A creation batch shows one account and the number of others. */
function subjectOf(one: StuckView): string {
  const { accounts, network_operator: operator, batch_id: batch, message_id: message } = one;
  const [first] = accounts;
  if (first === undefined) {
    return operator ?? batch ?? message ?? one.endpoint_id ?? one.reconciliation_id ?? one.job_id ?? one.kind;
  }
  const more = accounts.length > 1 ? ` and ${accounts.length - 1} more` : '';
  return `${first.import_supplier}/${first.external_account_number}${more}`;
}

/** The page of the subject, or else this page. */
function pathOf({
  cause,
  accounts,
  network_operator: operator,
  batch_id: batch,
  message_id: message,
  job_id: job,
  reconciliation_id: reconciliation,
  endpoint_id: endpoint,
}: StuckView): string {
  const [first] = accounts;
  if (message !== null) return messagePath(message);
  if (first !== undefined && !mayBeRetried({ cause })) {
    return claimPath(first.import_supplier, first.external_account_number);
  }
  if (first !== undefined) return accountPath(first.import_supplier, first.external_account_number);
  if (operator !== null) return deferredPath(operator);
  if (batch !== null) return batchPath(batch);
  if (endpoint !== null) return endpointPath(endpoint);
  if (reconciliation !== null) return certificatePath(reconciliation);
  return job === null ? '/stuck' : `/jobs/${encodeURIComponent(job)}`;
}

async function retry(deps: SiteDeps, { form, actor, log, hungUp }: PageRequest): Promise<PageAnswer> {
  const ids = form.getAll('id');
  const redirect = backTo(form.get('back'));
  if (ids.length === 0) return { redirect, flash: { kind: 'problem', text: 'No item was selected.' } };
  const done = await retrySelected(deps, { actor, log }, ids, hungUp());
  return isRefused(done) ? done : { redirect, flash: outcomeOf(done) };
}

async function retryCause(deps: SiteDeps, { form, actor, log, hungUp }: PageRequest): Promise<PageAnswer> {
  const cause = form.get('cause') ?? '';
  const after = readCursor(form.get('cursor'));
  if (isRefused(after)) return after;
  const done = await retryPageOfCause(deps, { actor, log }, { cause, after }, hungUp());
  if (isRefused(done)) return done;
  return { redirect: addressOf('/stuck', { cause, cursor: done.next_cursor }), flash: outcomeOf(done.outcomes) };
}

/** The address of this page with its filters; no other address. */
function backTo(here: string | null): string {
  return here !== null && /^\/stuck(?:\?|$)/.test(here) ? here : '/stuck';
}
