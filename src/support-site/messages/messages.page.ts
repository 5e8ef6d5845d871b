import { assignMessage, dismissMessage, findMessage, listMessages } from '../../switching/index.ts';
import { isUnmatched, unmatchedKinds, type MessageView } from '../../switching/market-message.schema.ts';
import { countStuckItems } from '../../stuck/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { badge, code, count, fromNow, link, moment } from '../frame/cells.ts';
import { auditPart, pairs } from '../frame/parts.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { accountNumber, accountField, backTo, form, reason, supplierField } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { listPages, type List } from '../frame/list.ts';
import { accepted, done, existing, handler, page, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, BULK_ACTIONS, messagePath, MESSAGES } from '../frame/paths.ts';

/** Messages dismissed by one form. */
const SELECTED_MAX = 500;

/** The name of each effect; other effects are shown by their name in the API. */
const NAMES = new Map([
  ['fits-nothing', 'fits no switch state'],
  ['unknown-account', 'unknown account'],
  ['unknown-point', 'unknown supply point'],
  ['set-aside', 'dismissed'],
  ['changed-nothing', 'duplicate'],
]);

const ADVICE = new Map([
  ['fits-nothing', 'A message may be missing: when it arrives, this one is applied automatically.'],
  ['unknown-account', 'When the account is created under this number, the message is applied automatically.'],
  ['unknown-point', 'The account has no such supply point: ask the network operator which one it means.'],
]);

const idOf = ({ params }: PageRequest) => params['id'] ?? '';
const nameOf = (effect: string) => NAMES.get(effect) ?? effect;

/** Unmatched market messages: the list, single ones, and the decisions about them. */
export const messagePages = [
  ...listPages({
    path: MESSAGES,
    title: () => 'Messages',
    list: messagesOf,
    body: (_, list) =>
      html`<p class="fine">
          Market messages that match no account, supply point or switch state. A message is applied automatically once
          it matches.
        </p>
        ${list}`,
  }),
  page(`${MESSAGES}/:id`, async (request) => {
    const message = existing(await findMessage(request.database, idOf(request)), 'This message does not exist.');
    return { title: `Message ${message.message_id}`, body: await messageBody(message, request) };
  }),
  handler(`${MESSAGES}/dismiss`, 'market-message.decide', dismissSelected),
  handler(`${MESSAGES}/:id/dismiss`, 'market-message.decide', async (request) => {
    const id = idOf(request);
    accepted(await dismissMessage(request.database, { ...request, id }, fieldsIn(request.form)));
    return done(messagePath(id), 'The message was dismissed.');
  }),
  handler(`${MESSAGES}/:id/assign`, 'market-message.decide', async (request) => {
    const body = fieldsIn(request.form);
    const leadDays = request.settings.SWITCH_LEAD_TIME_DAYS;
    accepted(await assignMessage({ ...request, leadDays }, { ...request, id: idOf(request) }, body));
    const account = accountPath(body['import_supplier'] ?? '', body['external_account_number'] ?? '');
    return done(account, 'The message was applied to this account.');
  }),
];

/** Sorted as they were received, by the partial index of each kind. People with the permission can dismiss the selected ones, or all that match. */
async function messagesOf(request: PageRequest): Promise<List<MessageView>> {
  const { now, here, query } = request;
  const kinds = unmatchedKinds.map((kind) => [kind, nameOf(kind)] as const);
  return {
    name: 'messages',
    path: MESSAGES,
    label: 'Unmatched messages, oldest first',
    filters: [
      { label: 'Reason', name: 'kind', value: query.get('kind'), options: [['', 'any reason'] as const, ...kinds] },
      supplierField(query),
      accountField(query),
    ],
    sorts: ['received_at'],
    selection: request.may('market-message.decide') && {
      name: 'id',
      of: ({ message_id: id }) => [id, `message ${id}`],
      form: {
        action: `${MESSAGES}/dismiss`,
        hidden: { back: here },
        fields: [reason(true)],
        button: 'Dismiss the selected messages',
        tone: 'danger',
      },
      all: await allThatMatch(request),
    },
    columns: {
      message_id: ['Message', ({ message_id: id }) => link(messagePath(id), code(id)), 'row'],
      outcome: ['Outcome', ({ outcome }) => badge(outcome ?? '')],
      occurred_at: ['Occurred', ({ occurred_at: at }) => moment(at)],
      import_supplier: ['Import supplier'],
      external_account_number: ['Account', accountOf],
      supply_point_identifier: ['Supply point', ({ supply_point_identifier: point }) => code(point)],
      effect: ['Reason', ({ effect }) => badge(nameOf(effect), 'warn')],
      effect_detail: ['Detail', undefined, 'advice'],
      received_at: ['Received', ({ received_at: at }) => fromNow(at, now)],
    },
    read: async (window) => {
      const { messages, next_cursor: next } = accepted(
        await listMessages(request.database, window.query, window.limit),
      );
      return { rows: messages, next };
    },
    empty: 'There are no unmatched messages.',
  };
}

/** The bulk action on all messages that match; false for a filter by account, which bulk actions do not have. */
async function allThatMatch({ query, lists }: PageRequest): Promise<readonly [string, string] | false> {
  const [kind, supplier] = [query.get('kind'), query.get('import_supplier')];
  if (query.get('external_account_number') || supplier?.includes('\0')) return false;
  const cause = kind && `market_message_${kind.replaceAll('-', '_')}`;
  const filter = { cause: cause || undefined, importSupplier: supplier || undefined };
  const { count: matched } = await countStuckItems(lists, 'messages', filter);
  const address = addressOf(`${BULK_ACTIONS}/new`, { action: 'dismiss', cause, import_supplier: supplier });
  return matched > 0 && [address, `Dismiss all ${count(matched)} that match`];
}

/** The account that a message names, with a link if it is known. */
function accountOf(message: MessageView): Html {
  const { import_supplier: supplier, external_account_number: external } = message;
  const name = code(external);
  return message.effect === 'unknown-account' ? name : link(accountPath(supplier, external), name);
}

/** One message with its effect and the forms that decide about it. */
async function messageBody(message: MessageView, request: PageRequest): Promise<Html> {
  const { effect, supply_point_identifier: point, received_at: receivedAt, import_supplier: supplier } = message;
  const isWaiting = isUnmatched(message);
  return html`<p>
      ${badge(nameOf(effect), isWaiting ? 'warn' : 'plain')} ${message.effect_detail} ${ADVICE.get(effect)}
    </p>
    ${pairs([
      ['Outcome', html`${badge(message.outcome ?? '')} ${message.reason}`],
      ['Occurred', moment(message.occurred_at)],
      ['Received', html`${moment(receivedAt)}, ${fromNow(receivedAt, request.now)}`],
      ['Account', html`${supplier} ${accountOf(message)}`],
      ['Supply point', point === null ? 'all supply points of the account' : code(point)],
    ])}
    ${isWaiting && request.may('market-message.decide') && decisionForms(message, request)}
    ${await auditPart(request, 'Audit of this message', `market-messages/${message.message_id}`)}`;
}

function decisionForms(message: MessageView, request: PageRequest): Html {
  const at = messagePath(message.message_id);
  const { import_supplier: supplier, external_account_number: external, supply_point_identifier: point } = message;
  return html`<div class="pair">
    ${form(request, {
      action: `${at}/assign`,
      id: 'assign',
      title: 'Assign',
      fields: [
        { label: 'Import supplier', name: 'import_supplier', value: supplier, maxlength: 32, required: true },
        { ...accountNumber(external), required: true },
        {
          label: 'Supply point',
          name: 'supply_point_identifier',
          value: point,
          maxlength: 64,
          hint: 'Leave empty for all supply points of the account.',
        },
        reason(true),
      ],
      button: 'Assign and apply',
    })}
    ${form(request, {
      action: `${at}/dismiss`,
      id: 'dismiss',
      title: 'Dismiss',
      fields: [html`<p class="fine">A dismissed message is kept, but no longer listed as unmatched.</p>`, reason(true)],
      button: 'Dismiss',
      tone: 'danger',
    })}
  </div>`;
}

async function dismissSelected(request: PageRequest): Promise<PageAnswer> {
  const back = backTo(request, MESSAGES);
  const ids = request.form.getAll('id');
  if (ids.length === 0) return problem(back, 'No message was selected.');
  if (ids.length > SELECTED_MAX) return problem(back, `Select at most ${SELECTED_MAX} messages, or all that match.`);
  const body = { reason: request.form.get('reason') ?? '' };
  let dismissed = 0;
  for (const id of ids) {
    const one = await dismissMessage(request.database, { ...request, id }, body);
    // A message that was applied or deleted meanwhile does not stop the others.
    if (isRefused(one) && one.code === 'not_found') continue;
    accepted(one);
    dismissed += 1;
  }
  const gone = ids.length - dismissed;
  return done(back, `${dismissed} dismissed${gone > 0 ? `, ${gone} already applied or deleted` : ''}.`);
}
