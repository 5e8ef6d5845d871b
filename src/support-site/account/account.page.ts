import { findAuditOf } from '../../access/index.ts';
import { changeMark } from '../../account-import/index.ts';
import { readAccount, type AuditedRead } from '../../account-view/index.ts';
import { changePin } from '../../notes/index.ts';
import type { Reply } from '../../platform/http/route.ts';
import { isTemporalAway } from '../../platform/temporal/temporal-faults.ts';
import { retrySelected } from '../../stuck/index.ts';
import { stuckIds } from '../../stuck/stuck-id.rules.ts';
import type { StuckView } from '../../stuck/stuck.schema.ts';
import { setSwitchStatus } from '../../switching/index.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { actionsPart, auditPart, notesPart, pendingPart, runsOf } from './account-actions.ts';
import { faultsPart, headPart, moneyPart, peoplePart, stagedPart } from './account-parts.ts';
import { supplyPart } from './account-supply.ts';
import { html, type Part } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { below, masked, readStored, type Stored } from './stored.ts';

const PATH = '/accounts/:supplier/:external';
/** The newest lines of each subject of the audit. */
const AUDIT_SHOWN = 50;

/** All that is stored of one account, and what may be done about it. */
export function accountPages(deps: SiteDeps): Page[] {
  const leadDays = deps.settings.SWITCH_LEAD_TIME_DAYS;
  const form = (
    path: string,
    action: Page['action'],
    act: (request: PageRequest) => Promise<Reply | Refused>,
  ): Page => ({
    method: 'POST',
    path: `${PATH}/${path}`,
    action,
    show: async (request) => backWith(request, await act(request)),
  });
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showAccount(deps, request, 'account.read') },
    {
      method: 'POST',
      path: `${PATH}/reveal`,
      action: 'contact-data.reveal',
      show: (request) => showAccount(deps, request, 'account.contact_data_revealed'),
    },
    form('skip', 'account.change', (request) => changeMark(deps, orderOf(request), 'skip_mark.set')),
    form('unskip', 'account.change', (request) => changeMark(deps, orderOf(request), 'skip_mark.removed')),
    form('switch-status', 'account.change', (request) => {
      const { body, ...order } = orderOf(request);
      return setSwitchStatus({ ...deps, leadDays }, order, body);
    }),
    form('notes/:note/pin', 'note.pin', (request) => changePin(deps, orderOf(request), 'note.pinned')),
    form('notes/:note/unpin', 'note.pin', (request) => changePin(deps, orderOf(request), 'note.unpinned')),
    { method: 'POST', path: `${PATH}/retry`, action: 'stuck.retry', show: (request) => retry(deps, request) },
  ];
}

/** A form as the operator API would be called; fields that were left empty are not sent. */
function orderOf({ params, form, actor, log }: PageRequest) {
  const body = Object.fromEntries([...form].filter(([name, value]) => name !== 'form_token' && value !== ''));
  return { params, body, caller: actor, log };
}

/** Path of the page of an account. */
export function accountPath(supplier: string, external: string): string {
  return `/accounts/${encodeURIComponent(supplier)}/${encodeURIComponent(external)}`;
}

const pathOf = ({ params }: PageRequest) => accountPath(params['supplier'] ?? '', params['external'] ?? '');

function backWith(request: PageRequest, done: Reply | Refused): PageAnswer {
  return isRefused(done) ? done : { redirect: pathOf(request), flash: { kind: 'done', text: 'Done.' } };
}

async function retry(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, actor, log, hungUp } = request;
  const done = await retrySelected(deps, { actor, log }, form.getAll('id'), hungUp());
  if (isRefused(done)) return done;
  const text = done.gone === undefined ? 'Retried.' : 'It was completed meanwhile.';
  return { redirect: pathOf(request), flash: { kind: 'done', text } };
}

async function showAccount(deps: SiteDeps, request: PageRequest, read: AuditedRead): Promise<PageAnswer> {
  const { supplier, external } = request.params;
  const json = await readAccount(deps.database, request.actor, { supplier, external }, read);
  if (isRefused(json)) return json;
  const at = pathOf(request);
  const isOpen = request.may('contact-data.see') || read === 'account.contact_data_revealed';
  const stored = readStored(json);
  const view = isOpen ? stored : masked(stored);
  const account = below(view, 'account');
  const stuck = await findStuck(deps, `${supplier}/${external}`);
  const audit = await findAuditOf(deps.database.em(), auditedAs(view, `${supplier}/${external}`), AUDIT_SHOWN);
  const body = html`${notesPart(view, request, at)} ${headPart(view)} ${faultsPart(view)}
  ${pendingPart(view, stuck, { request, deps, at })} ${actionsPart(view, request, at)}
  ${account !== undefined && accountParts(account, isOpen ? '' : revealForm(request, at))} ${stagedPart(view)}
  ${auditPart(audit)}`;
  return { title: `${supplier} ${external}`, body };
}

function accountParts(account: Stored, reveal: Part): Part {
  return html`${peoplePart(account, reveal)} ${supplyPart(account)} ${moneyPart(account)}`;
}

function revealForm({ formToken }: PageRequest, at: string): Part {
  return html`<form method="post" action="${at}/reveal">
    ${formToken}<button class="quiet">Show contact data</button>
    <span class="fine">The audit names who saw it.</span>
  </form>`;
}

async function findStuck({ stuck }: SiteDeps, account: string): Promise<readonly StuckView[] | undefined> {
  try {
    return (await stuck.list({ account })).stuck;
  } catch (error) {
    if (isTemporalAway(error)) return undefined;
    throw error;
  }
}

/** Subjects under which changes of an account stand in the audit. */
function auditedAs(view: Stored, account: string): string[] {
  const process = `account-import-processes/${account}`;
  return [
    `accounts/${account}`,
    `accounts/${account}/notes`,
    `${process}/skip`,
    `${process}/switch-status`,
    `${process}/supply-point-claim`,
    ...runsOf(view).map((id) => `stuck/${stuckIds.of(id)}`),
  ];
}
