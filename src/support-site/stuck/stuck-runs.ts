import { readCursor, unlessAway } from '../../stuck/index.ts';
import type { StuckView } from '../../stuck/stuck.schema.ts';
import { badge, code, fromNow, link } from '../frame/cells.ts';
import { html } from '../frame/html.ts';
import { listPart, matchingText } from '../frame/list.ts';
import { accepted, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, claimPath, messagePath, STUCK, stuckItemPath } from '../frame/paths.ts';
import { adviceOnSite, mayBeRetried } from '../frame/site-advice.rules.ts';
import { causeTitle } from './cause-words.rules.ts';
import { stuckTabs } from './stuck-parts.ts';

/** A list that Temporal is read for: the work of one account, or the runs with a cause that Postgres does not know. */
export async function showRuns(request: PageRequest): Promise<PageAnswer> {
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
