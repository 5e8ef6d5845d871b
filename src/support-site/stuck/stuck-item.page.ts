import { findActionsOfItem } from '../../bulk-actions/index.ts';
import { badge, code, count, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import { form } from '../frame/forms.ts';
import { html } from '../frame/html.ts';
import { existing, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { auditPart, pairs, table } from '../frame/parts.ts';
import { accountPath, addressOf, bulkActionPath, STUCK, stuckItemPath } from '../frame/paths.ts';
import { adviceOnSite } from '../frame/site-advice.rules.ts';
import { blockedBy, causeTitle } from './cause-words.rules.ts';
import { stuckTabs } from './stuck-parts.ts';

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
            ({ import_supplier: supplier, external_account_number: number }) =>
              html`${link(accountPath(supplier, number), code(`${supplier}/${number}`))} `,
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
