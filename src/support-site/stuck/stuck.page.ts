import { readCursor, retryPageOfCause, retrySelected, unlessAway } from '../../stuck/index.ts';
import type { StuckList, StuckView } from '../../stuck/stuck.schema.ts';
import { code, count, link, linkAway, moment } from '../frame/cells.ts';
import { causeCard, livePart, nextPage } from '../frame/parts.ts';
import { backTo, form, selectionTable } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, handler, page, polledPart, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import {
  accountPath,
  addressOf,
  batchPath,
  certificatePath,
  claimPath,
  deferredPath,
  endpointPath,
  jobPath,
  messagePath,
  withdrawalPath,
} from '../frame/paths.ts';
import { mayBeRetried } from '../frame/site-advice.rules.ts';
import { retried, STUCK, stuckColumns, stuckTabs } from './stuck-parts.ts';

/** Stuck work by cause with advice, and the forms that retry it. */
export const stuckPages = [
  page(STUCK, async (request) => {
    const list = await readList(request, request.query);
    const body = html`${stuckTabs(STUCK)} ${await countsPart(request)} ${listPart(list, request)}`;
    return { title: 'Stuck', body };
  }),
  polledPart(`${STUCK}/counts`, countsPart),
  handler(`${STUCK}/retry`, 'stuck.retry', retry),
  handler(`${STUCK}/retry-cause`, 'stuck.retry', retryCause),
];

async function readList(request: PageRequest, query: URLSearchParams): Promise<StuckList> {
  const wanted = {
    cause: query.get('cause') || undefined,
    account: query.get('account')?.replaceAll('\0', ' ') || undefined,
    after: accepted(readCursor(query.get('cursor'))),
  };
  return accepted(await unlessAway(() => request.stuck.list(wanted)));
}

/** The number of items by cause, which refreshes. The list does not, so that its selection is kept. */
async function countsPart(request: PageRequest): Promise<Html> {
  const { counts, total, counted_all: isWhole } = await readList(request, new URLSearchParams());
  const chosen = request.query.get('cause');
  const body = html`<div class="cards causes">${counts.map((one) => causeCard(one, { isWhole, chosen }))}</div>
    <p class="fine">
      ${!isWhole && 'At least '}${count(total)} stuck, as of ${moment(request.now)}.
      ${chosen !== null && link(STUCK, 'All causes')}
    </p>`;
  return livePart({ id: 'counts', label: 'Causes', from: addressOf(`${STUCK}/counts`, { cause: chosen }) }, body);
}

function listPart(list: StuckList, request: PageRequest): Html {
  const { here, query } = request;
  const cause = query.get('cause');
  const isAll = cause === null && list.counted_all;
  const mayRetry = request.may('stuck.retry') && list.stuck.some(mayBeRetried);
  const columns = stuckColumns(request);
  const items = selectionTable(
    request,
    'Stuck work, oldest first',
    list.stuck,
    mayRetry && {
      name: 'id',
      of: (one) => mayBeRetried(one) && [one.id, `${one.kind} of ${subjectOf(one)}`],
      form: { action: `${STUCK}/retry`, hidden: { back: here }, button: 'Retry the selected items' },
    },
    [
      ['Kind', (one) => kindOf(one, request)],
      ['Subject', (one) => link(pathOf(one), code(subjectOf(one)))],
      columns.cause,
      columns.since,
      ['Attempts', ({ attempt }) => attempt, 'number'],
      columns.next,
      columns.advice,
    ],
    isAll ? 'No work is stuck.' : 'No stuck work matches this selection.',
  );
  const next = list.next_cursor && addressOf(STUCK, { cause, account: query.get('account'), cursor: list.next_cursor });
  return html`${mayRetry && cause !== null && retryAll(cause, request, list)} ${items} ${nextPage(next)}`;
}

function retryAll(cause: string, request: PageRequest, { total }: StuckList): Html {
  return form(request, {
    action: `${STUCK}/retry-cause`,
    hidden: { cause, cursor: request.query.get('cursor') },
    button: 'Retry the next 50 with this cause',
    more: html`<span class="fine">${count(total)} stuck with the cause ${code(cause)}</span>`,
    tone: 'quiet',
    look: 'row',
  });
}

function kindOf({ kind, workflow_id: id }: StuckView, { runAddress }: PageRequest): Html {
  const run = id === '' ? undefined : runAddress(id);
  return html`${kind}${run !== undefined && html`<br /><small>${linkAway(run, 'Open the run')}</small>`}`;
}

/** The subject of an item. A creation batch shows one account and the number of others. */
function subjectOf(one: StuckView): string {
  const { accounts, network_operator: operator, batch_id: batch, message_id: message } = one;
  const [first] = accounts;
  if (first === undefined) {
    return (
      [operator, batch, message, one.endpoint_id, one.reconciliation_id, one.withdrawal_id, one.job_id].find(
        (id) => id !== null,
      ) ?? one.kind
    );
  }
  const more = accounts.length > 1 ? ` and ${accounts.length - 1} more` : '';
  return `${first.import_supplier}/${first.external_account_number}${more}`;
}

/** The page of the subject, or else this page. */
function pathOf(one: StuckView): string {
  const [first] = one.accounts;
  if (one.message_id !== null) return messagePath(one.message_id);
  if (first !== undefined) {
    return (mayBeRetried(one) ? accountPath : claimPath)(first.import_supplier, first.external_account_number);
  }
  if (one.network_operator !== null) return deferredPath(one.network_operator);
  if (one.batch_id !== null) return batchPath(one.batch_id);
  if (one.endpoint_id !== null) return endpointPath(one.endpoint_id);
  if (one.reconciliation_id !== null) return certificatePath(one.reconciliation_id);
  if (one.withdrawal_id !== null) return withdrawalPath(one.withdrawal_id);
  return one.job_id === null ? STUCK : jobPath(one.job_id);
}

async function retry(request: PageRequest): Promise<PageAnswer> {
  const ids = request.form.getAll('id');
  const back = backTo(request, STUCK);
  if (ids.length === 0) return problem(back, 'No item was selected.');
  return retried(back, accepted(await retrySelected(request, request, ids, request.hungUp())));
}

async function retryCause(request: PageRequest): Promise<PageAnswer> {
  const cause = request.form.get('cause') ?? '';
  const after = accepted(readCursor(request.form.get('cursor')));
  const page = accepted(await retryPageOfCause(request, request, { cause, after }, request.hungUp()));
  return retried(addressOf(STUCK, { cause, cursor: page.next_cursor }), page.outcomes);
}
