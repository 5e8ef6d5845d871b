import { accountPath } from '../frame/paths.ts';
import { findAuditOf } from '../../access/index.ts';
import { assignMessage, dismissMessage, findMessage, listMessages } from '../../switching/index.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { listBody, messagePath, MESSAGES } from './message-list.ts';
import { messageBody } from './one-message.ts';

/** Messages that are dismissed at once: what a page of the list shows. */
const SELECTED_MAX = 50;
const AUDIT_SHOWN = 20;

/** Market messages that fit nothing: the list, one of them, and what becomes of them. */
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
  if (message === undefined) return refuse('not_found', { detail: 'No message is stored under this id.' });
  const audit = await findAuditOf(database.em(), [`market-messages/${id}`], AUDIT_SHOWN);
  return { title: `Message ${id}`, body: messageBody(message, audit, request, clock.now()) };
}

async function dismissOne({ database }: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const id = request.params['id'] ?? '';
  const done = await dismissMessage(database, { id, caller: request.actor }, bodyOf(request));
  if (isRefused(done)) return done;
  return { redirect: messagePath(id), flash: { kind: 'done', text: 'Dismissed.' } };
}

async function dismissSelected({ database }: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const redirect = backTo(request.form.get('back'));
  const ids = request.form.getAll('id').slice(0, SELECTED_MAX);
  if (ids.length === 0) return { redirect, flash: { kind: 'problem', text: 'Nothing was marked.' } };
  let dismissed = 0;
  for (const id of ids) {
    const done = await dismissMessage(
      database,
      { id, caller: request.actor },
      { reason: request.form.get('reason') ?? '' },
    );
    // One that fits or is gone meanwhile keeps nobody from the others.
    if (isRefused(done) && done.code !== 'not_found') return done;
    if (!isRefused(done)) dismissed += 1;
  }
  const gone = ids.length - dismissed;
  const text = `${dismissed} dismissed${gone > 0 ? `, ${gone} did not wait any more` : ''}.`;
  return { redirect, flash: { kind: 'done', text } };
}

async function assign(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { params, form, actor, log } = request;
  const leadDays = deps.settings.SWITCH_LEAD_TIME_DAYS;
  const order = { id: params['id'] ?? '', caller: actor, log };
  const done = await assignMessage({ ...deps, leadDays }, order, bodyOf(request));
  if (isRefused(done)) return done;
  const redirect = accountPath(form.get('import_supplier') ?? '', form.get('external_account_number') ?? '');
  return { redirect, flash: { kind: 'done', text: 'The message was applied here.' } };
}

/** A form as the operator API would be called; fields that were left empty are not sent. */
function bodyOf({ form }: PageRequest): Record<string, string> {
  return Object.fromEntries([...form].filter(([name, value]) => name !== 'form_token' && value !== ''));
}

/** Only to this list, with whatever it was narrowed down to. */
function backTo(here: string | null): string {
  return here !== null && /^\/messages(?:\?|$)/.test(here) ? here : MESSAGES;
}
