import { isRoutine } from '../../access/audit/audit-filter.rules.ts';
import type { AuditEntryView } from '../../access/index.ts';
import type { EventPage } from '../../events/index.ts';
import { badge, code, link, moment, shortened } from '../frame/cells.ts';
import { auditSentence } from '../frame/audit-sentence.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { addressOf, AUDIT, FEED, messagePath } from '../frame/paths.ts';
import { eventDetail } from '../events/events.page.ts';
import { switchBadge } from './account-supply.ts';
import { below, partOfList, rowsOf, textOf, type ShownAccount, type Stored } from './stored.ts';

/** Something that happened to an account. */
interface Happening {
  /** ISO timestamp. */
  at: string;
  kind: string;
  words: Part;
}

/** What happened, and the page of events that it contains. */
export interface History {
  happenings: readonly Happening[];
  events: EventPage | undefined;
}

const NEWEST_SHOWN = 6;
const PAGE_SIZE = 50;
const NOTE_CHARACTERS = 120;
/** Events that report what the account stores itself. */
const TOLD_BY_ACCOUNT = /^(?:import\.account\.(?:created|withdrawn)|switch\.|payment_instruction\.)/;
/** Source of messages that operators made; the audit has them with their names. */
const BY_HAND = 'hand';

/** Everything that happened to an account, newest first: staging, creation, switch, messages, payments, notes, events and the audit. */
export function historyOf(
  { view, account, at }: ShownAccount,
  audit: readonly AuditEntryView[],
  events: EventPage['events'],
): Happening[] {
  const all = [
    ...stagings(view, at),
    ...(account === undefined ? [] : ofAccount(account)),
    ...events
      .filter(({ type }) => !TOLD_BY_ACCOUNT.test(type))
      .map((event) => ({ at: event.time, kind: 'event', words: eventDetail(event) })),
    ...readable(audit),
  ];
  // What has not happened yet has no time.
  return all.filter(({ at }) => at !== '').toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

function stagings(view: Stored, at: string): Happening[] {
  const process = below(view, 'import_process');
  const revisions = rowsOf(process, 'revisions');
  const staged = revisions.map((one, index): Happening => {
    const number = textOf(one, 'revision') ?? '';
    const before = revisions[index - 1];
    const isSame = before !== undefined && textOf(before, 'payload_hash') === textOf(one, 'payload_hash');
    const words = t(isSame ? 'Staged as {revision}, unchanged' : 'Staged as {revision}', {
      revision: link(`${at}/revisions/${number}`, t('revision {number}', { number })),
    });
    return happening('staged', textOf(one, 'staged_at'), words);
  });
  const withdrawn = rowsOf(process, 'withdrawn_accounts').map((one): Happening => {
    const words = t('{person} withdrew {number}: {reason}', {
      person: html`<strong>${textOf(one, 'withdrawn_by')}</strong>`,
      number: code(textOf(one, 'service_account_number')),
      reason: html`<q>${textOf(one, 'reason')}</q>`,
    });
    return happening('withdrawn', textOf(one, 'withdrawn_at'), words);
  });
  return [...staged, ...withdrawn];
}

function ofAccount(account: Stored): Happening[] {
  const point = (one: Stored) => code(textOf(one, 'supply_point_identifier'));
  const requests = rowsOf(account, 'switch_requests').flatMap((one) => {
    const requested = { point: point(one), round: textOf(one, 'round') };
    const answered = { point: point(one), answer: textOf(one, 'answer') };
    return [
      happening(
        'switch',
        textOf(one, 'requested_at'),
        t('Requested the switch of {point} from the industry switch, round {round}', requested),
      ),
      happening(
        'switch',
        textOf(one, 'answered_at'),
        t('The industry switch answered for {point}: {answer}', answered),
      ),
    ];
  });
  const notes = rowsOf(account, 'notes').map((one) => {
    const text = shortened(textOf(one, 'body') ?? t('(document)'), NOTE_CHARACTERS);
    return happening('note', textOf(one, 'created_at'), t('Note: {text}', { text }));
  });
  const created = t('Created as {number}', { number: code(textOf(account, 'service_account_number')) });
  return [
    happening('created', textOf(account, 'created_at'), created),
    ...requests,
    ...messages(account, point),
    ...rowsOf(account, 'payment_verifications').flatMap(verifications),
    ...notes,
  ];
}

const happening = (kind: string, at: string | undefined, words: Part): Happening => ({ at: at ?? '', kind, words });

/** Messages of the industry, each with the changes of the switch that it made. */
function messages(account: Stored, point: (one: Stored) => Html): Happening[] {
  const changes = Map.groupBy(rowsOf(account, 'switch_history'), (one) => textOf(one, 'message_id'));
  return rowsOf(account, 'market_messages')
    .filter((one) => textOf(one, 'source') !== BY_HAND)
    .map((one): Happening => {
      const id = textOf(one, 'message_id') ?? '';
      const made = changes.get(id) ?? [];
      const what = textOf(one, 'outcome') ?? textOf(one, 'status');
      const words = html`${t('{message} from {source}: {outcome} for {point}', { message: link(messagePath(id), t('Message')), source: textOf(one, 'source'), outcome: what, point: point(one) })}
      ${made.map((change) => html`${textOf(change, 'from')} → ${switchBadge(textOf(change, 'to') ?? '')} `)}
      ${made.length === 0 && html`<small>${textOf(one, 'effect')} ${textOf(one, 'effect_detail')}</small>`}
      ${textOf(one, 'reason') !== undefined && html`<q>${textOf(one, 'reason')}</q>`}`;
      return happening('message', textOf(one, 'received_at'), words);
    });
}

function verifications(one: Stored): Happening[] {
  const instruction = html`${textOf(one, 'vendor')} ${textOf(one, 'type')} ${code(textOf(one, 'reference'))}`;
  const settled = { instruction, outcome: textOf(one, 'outcome'), reason: textOf(one, 'reason') };
  return [
    happening('payment', textOf(one, 'requested_at'), t('Payment instruction {instruction} was sent', { instruction })),
    happening(
      'payment',
      textOf(one, 'settled_at'),
      t('Payment instruction {instruction}: {outcome} {reason}', settled),
    ),
  ];
}

/** The audit as sentences. Reads by one person in a row are one line. */
function readable(audit: readonly AuditEntryView[]): Happening[] {
  const shown: (Happening & { last: AuditEntryView; times: number })[] = [];
  for (const entry of audit) {
    const before = shown.at(-1);
    const isRead = isRoutine(entry.action);
    const sentence = auditSentence(entry, t('the account'));
    if (isRead && before?.last.action === entry.action && before.last.actor.name === entry.actor.name) {
      before.times += 1;
      before.words = html`${auditSentence(before.last, t('the account'))}
        <small>${t('{times} times since {time}', { times: before.times, time: moment(entry.at) })}</small>`;
    } else {
      const words = isRead ? sentence : html`${sentence} ${link(`${AUDIT}/${entry.id}`, t('Entry'))}`;
      shown.push({ ...happening(isRead ? 'read' : 'audit', entry.at, words), last: entry, times: 1 });
    }
  }
  return shown;
}

const TONES = new Map([
  ['created', 'good'],
  ['withdrawn', 'bad'],
  ['message', 'warn'],
] as const);

function timeline(happenings: readonly Happening[], now: Date): Html {
  return html`<ol class="timeline">
    ${happenings.map(
      ({ at, kind, words }) =>
        html`<li>${moment(at, now)} ${badge(translated(kind), TONES.get(kind as 'created') ?? 'plain')} ${words}</li>`,
    )}
  </ol>`;
}

/** The newest of the history, for the summary. */
export function newestPart(happenings: readonly Happening[], { at, account, request }: ShownAccount): Html {
  return html`<section class="card">
    <h2>${t('Newest')}</h2>
    ${timeline(happenings.filter(({ kind }) => kind !== 'read').slice(0, NEWEST_SHOWN), request.now)}
    ${account !== undefined && html`<p>${link(`${at}/history`, t('All history'))}</p>`}
  </section>`;
}

/** A page of the history, with links to what it does not hold. */
export function historyPart({ happenings, events }: History, { view, place, request }: ShownAccount): Html {
  const { shown, links } = partOfList('history', happenings, place, PAGE_SIZE);
  const supplier = textOf(view, 'import_supplier') ?? '';
  const external = textOf(view, 'external_account_number') ?? '';
  const ofAccount = { import_supplier: supplier, external_account_number: external };
  const earlier = events?.scannedBackTo === undefined ? undefined : events.next;
  return html`<section>
    <h2 id="history">${t('Everything that happened')}</h2>
    ${links} ${timeline(shown, request.now)} ${links}
    ${earlier !== undefined && html`<p>${t('Events since {time}.', { time: moment(events?.scannedBackTo) })} ${link(addressOf(FEED, { ...ofAccount, cursor: earlier }), t('Show earlier events'))}</p>`}
    <p class="fine">
      ${t('Of each kind the newest audit entries are shown:')}
      ${link(addressOf(AUDIT, { account: `${supplier}/${external}`, reads: 'yes' }), t('all audit entries of this account'))},
      ${link(addressOf(FEED, ofAccount), t('all events sent to the supplier'))}.
    </p>
  </section>`;
}
