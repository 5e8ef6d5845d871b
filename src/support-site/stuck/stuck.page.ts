import { retrySelected, unlessAway, readCursor } from '../../stuck/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { count, link, badge, code, fromNow, linkAway, moment, accountLink } from '../frame/cells.ts';
import { backTo, form } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import {
  accepted,
  handler,
  page,
  partOrPage,
  polledPart,
  problem,
  type PageAnswer,
  type PageRequest,
  existing,
} from '../frame/page.ts';
import {
  addressOf,
  STUCK,
  accountPath,
  bulkActionPath,
  stuckItemPath,
  claimPath,
  messagePath,
} from '../frame/paths.ts';
import { causeTitle, blockedBy } from './cause-words.rules.ts';
import { groupsPart } from './stuck-groups.ts';
import { showGroup, stuckListPages } from './stuck-list.ts';
import { retried, stuckTabs } from './stuck-parts.ts';
import { findActionsOfItem } from '../../bulk-actions/index.ts';
import { auditPart, loadedPart, pairs, table } from '../frame/parts.ts';
import { adviceOnSite, mayBeRetried } from '../frame/site-advice.rules.ts';
import type { StuckView } from '../../stuck/stuck.schema.ts';
import { listPart, matchingText } from '../frame/list.ts';

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
  ${loadedPart(RUNS, 'Show other open runs in Temporal')}`;
  return { title: 'Stuck', body };
}

/** The causes that only Temporal knows, such as runs that no worker picks up. Read after the page, because it takes seconds. */
async function showOtherRuns(request: PageRequest): Promise<PageAnswer> {
  const runs = await otherRuns(request);
  return partOrPage(request, 'Other open runs', request.isForPart ? runs : html`${stuckTabs(STUCK)} ${runs}`);
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

/** One stuck item with its run, its last failure and its history. */
export const stuckItemPages = [page(`${STUCK}/items/:id`, showItem)];

async function showItem(request: PageRequest): Promise<PageAnswer> {
  const { params, stuck, now, runAddress, database } = request;
  const id = params['id'] ?? '';
  const item = existing(await stuck.find(id), 'No stuck work has this id. It may have been completed in the meantime.');
  const { cause, kind, workflow_id: run, accounts, last_failure: failure, paused } = item;
  const actions = await findActionsOfItem(database, run);
  const body = html`${stuckTabs(STUCK)}
    <p>${link(addressOf(STUCK, { cause }), `All with this cause`)} · ${code(cause)}</p>
    <p class="flash flash-wait">${adviceOnSite(item)}</p>
    ${
      request.may('stuck.retry') &&
      form(request, {
        action: `${STUCK}/retry`,
        hidden: { id, back: stuckItemPath(id) },
        button: 'Retry now',
        look: 'row',
      })
    }
    ${pairs([
      ['Last failure', failure?.message],
      ['Blocks', blockedBy(kind)],
      [
        accounts.length === 1 ? 'Account' : 'Accounts',
        accounts.length > 0 &&
          accounts.map(
            ({ import_supplier: supplier, external_account_number: number }) => html`${accountLink(supplier, number)} `,
          ),
      ],
      ['Stuck since', html`${moment(item.waiting_since)} (${fromNow(item.waiting_since, now)})`],
      ['Attempts', item.attempt > 0 && count(item.attempt)],
      ['Next attempt', paused ? 'paused' : item.next_attempt_at && fromNow(item.next_attempt_at, now)],
      ['Run', run !== '' && linkAway(runAddress(run), `Open in Temporal's web UI`, code(run))],
    ])}
    ${
      actions.length > 0 &&
      html`<h2>Bulk actions</h2>
        ${table('Bulk actions', actions, [
          ['Time', ({ handledAt }) => moment(handledAt)],
          ['Action', (one) => link(bulkActionPath(one.id), one.action)],
          ['Outcome', ({ outcome }) => badge(outcome)],
          ['By', ({ requestedBy }) => requestedBy],
          ['Reason', ({ reason }) => reason],
        ])}`
    }
    ${await auditPart(request, 'Audit', `stuck/${id}`)}`;
  return { title: causeTitle(cause), body };
}

/** A list that Temporal is read for: the work of one account, or the runs with a cause that Postgres does not know. */
async function showRuns(request: PageRequest): Promise<PageAnswer> {
  const { query, here, now } = request;
  const [cause, account] = [query.get('cause'), query.get('account')];
  const wanted = {
    cause: cause || undefined,
    account: account?.replaceAll('\0', ' ') || undefined,
    after: accepted(readCursor(query.get('cursor'))),
  };
  const list = accepted(await unlessAway(() => request.stuck.list(wanted)));
  const shown = await listPart(request, {
    name: 'runs',
    path: STUCK,
    label: 'Stuck work, oldest first',
    selection: request.may('stuck.retry') &&
      list.stuck.some(mayBeRetried) && {
        name: 'id',
        of: (one) => mayBeRetried(one) && [one.id, `${one.kind} of ${subjectOf(one)}`],
        form: { action: `${STUCK}/retry`, hidden: { back: here }, button: 'Retry the selected items' },
      },
    columns: {
      subject: ['Subject', (one) => link(pathOf(one), code(subjectOf(one))), 'row'],
      kind: ['Kind'],
      cause: [
        'Cause',
        ({ cause: one, paused, last_failure: failure }) =>
          html`${badge(one, paused ? 'warn' : 'plain')} <small>${failure?.message}</small>`,
      ],
      waiting_since: ['Stuck since', ({ waiting_since: since }) => fromNow(since, now)],
      next_attempt_at: ['Next attempt', ({ paused, next_attempt_at: at }) => (paused ? 'paused' : fromNow(at, now))],
      advice: ['What to do', adviceOnSite, 'advice'],
      attempt: ['Attempts', undefined, 'number'],
    },
    // A page that Temporal has read.
    read: async () => ({ rows: list.stuck, next: list.next_cursor }),
    empty: list.counted_all ? 'No stuck work matches.' : 'None of the runs that were read matches.',
    exported: false,
  });
  const body = html`${stuckTabs(STUCK)}
    <p>${link(STUCK, 'All stuck work')} ${cause && html`· ${code(cause)}`} ${account && html`· ${code(account)}`}</p>
    <p>${!list.counted_all && 'At least '}${matchingText(list.total)}</p>
    ${shown}`;
  return { title: cause === null ? 'Stuck' : causeTitle(cause), body };
}

/** The subject of an item. A creation batch shows one account and the number of others. */
function subjectOf({ accounts, kind, workflow_id: run, message_id: message }: StuckView): string {
  const [first] = accounts;
  if (first === undefined) return message ?? (run || kind);
  const more = accounts.length > 1 ? ` and ${accounts.length - 1} more` : '';
  return `${first.import_supplier}/${first.external_account_number}${more}`;
}

/** The page of the subject, or of the item. */
function pathOf(one: StuckView): string {
  const [first] = one.accounts;
  if (one.message_id !== null) return messagePath(one.message_id);
  if (first === undefined) return stuckItemPath(one.id);
  return (mayBeRetried(one) ? accountPath : claimPath)(first.import_supplier, first.external_account_number);
}
