import { accountPath } from '../frame/paths.ts';
import { findAuditOf } from '../../access/index.ts';
import { assignMessage, dismissMessage, findMessage, listMessages } from '../../switching/index.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { listBody, messagePath, MESSAGES } from './message-list.ts';
import { messageBody } from './one-message.ts';

/** Messages dismissed by one form: a page of the list. */
const SELECTED_MAX = 50;
const AUDIT_SHOWN = 20;

/** Unmatched market messages: the list, single ones, and the decisions about them. */
export function messagePages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: MESSAGES, action: 'look', menu: 'Messages', show: (request) => showList(deps, request) },
    { method: 'GET', path: `${MESSAGES}/:id`, action: 'look', show: (request) => showOne(deps, request) },
    {
      method: 'POST',
      path: `${MESSAGES}/dismiss`,
      action: 'market-message.decide',
      show: (request) => dismissSelected(deps, request),
    },
    {
      method: 'POST',
      path: `${MESSAGES}/:id/dismiss`,
      action: 'market-message.decide',
      show: (request) => dismissOne(deps, request),
    },
    {
      method: 'POST',
      path: `${MESSAGES}/:id/assign`,
      action: 'market-message.decide',
      show: (request) => assign(deps, request),
    },
  ];
}

async function showList({ database, clock }: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const list = await listMessages(database, request.query);
  return isRefused(list) ? list : { title: 'Messages', body: listBody(list, request, clock.now()) };
}

async function showOne({ database, clock }: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const id = request.params['id'] ?? '';
  const message = await findMessage(database, id);
  if (message === undefined) return refuse('not_found', { detail: 'This message does not exist.' });
  const audit = await findAuditOf(database.em(), [`market-messages/${id}`], AUDIT_SHOWN);
  return { title: `Message ${id}`, body: messageBody(message, audit, request, clock.now()) };
}

async function dismissOne({ database }: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const id = request.params['id'] ?? '';
  const done = await dismissMessage(database, { id, caller: request.actor }, fieldsIn(request.form));
  if (isRefused(done)) return done;
  return { redirect: messagePath(id), flash: { kind: 'done', text: 'The message was dismissed.' } };
}

async function dismissSelected({ database }: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const redirect = backTo(request.form.get('back'));
  const ids = request.form.getAll('id').slice(0, SELECTED_MAX);
  if (ids.length === 0) return { redirect, flash: { kind: 'problem', text: 'No message was selected.' } };
  let dismissed = 0;
  for (const id of ids) {
    const done = await dismissMessage(
      database,
      { id, caller: request.actor },
      { reason: request.form.get('reason') ?? '' },
    );
    // A message that was applied or deleted meanwhile does not stop the others.
    if (isRefused(done) && done.code !== 'not_found') return done;
    if (!isRefused(done)) dismissed += 1;
  }
  const gone = ids.length - dismissed;
  const text = `${dismissed} dismissed${gone > 0 ? `, ${gone} already applied or deleted` : ''}.`;
  return { redirect, flash: { kind: 'done', text } };
}

async function assign(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { params, form, actor, log } = request;
  const leadDays = deps.settings.SWITCH_LEAD_TIME_DAYS;
  const order = { id: params['id'] ?? '', caller: actor, log };
  const done = await assignMessage({ ...deps, leadDays }, order, fieldsIn(request.form));
  if (isRefused(done)) return done;
  const redirect = accountPath(form.get('import_supplier') ?? '', form.get('external_account_number') ?? '');
  return { redirect, flash: { kind: 'done', text: 'The message was applied to this account.' } };
}

/** The address of the list with its filters; no other address. */
function backTo(here: string | null): string {
  return here !== null && /^\/messages(?:\?|$)/.test(here) ? here : MESSAGES;
}
