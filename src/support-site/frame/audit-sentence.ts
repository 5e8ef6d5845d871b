import type { AuditEntryView } from '../../access/index.ts';
import { isNetworkOperator, networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { code, link, shortId } from './cells.ts';
import { html, type Html, type Part } from './html.ts';
import {
  accountPath,
  certificatePath,
  endpointPath,
  jobPath,
  messagePath,
  partyPath,
  supplierPath,
  bulkActionPath,
  wavePath,
} from './paths.ts';
import { labelOf } from './readable.ts';

/** The same phrases of several nouns. */
const OF_NOUNS: readonly (readonly [verb: string, phrase: string, nouns: readonly string[]])[] = [
  ['read', 'read @', ['account', 'business', 'supply_point']],
  ['contact_data_revealed', 'revealed the contact data of @', ['account', 'business']],
  ['created', 'created @', ['api_key', 'operations_team', 'organisation']],
  ['cancelled', 'canceled @', ['bulk_action', 'import_job', 'population_batch', 'wave']],
  ['paused', 'paused @', ['bulk_action', 'import_job', 'wave']],
  ['resumed', 'resumed @', ['bulk_action', 'import_job', 'wave']],
  ['started', 'started @', ['bulk_action', 'import_job', 'reconciliation']],
  ['differences_accepted', 'accepted the differences of @ from its manifest', ['import_job', 'wave']],
  ['opened', 'opened @', ['import_job', 'wave']],
  ['changed', 'changed @', ['import_supplier', 'operations_team', 'organisation']],
  ['retried', 'retried @', ['look_up', 'population_batch', 'stuck']],
];

/** What a person did, by action: a verb phrase in which `@` is the subject. */
const PHRASES = new Map<string, string>([
  ...OF_NOUNS.flatMap(([verb, phrase, nouns]) => nouns.map((noun) => [`${noun}.${verb}`, phrase] as const)),
  ...Object.entries({
    'accounts.exported': 'exported a list of accounts',
    'api_key.revoked': 'revoked @',
    'audit.exported': 'exported the audit',
    'audit.verified': 'verified the audit',
    'check.completed': 'compared Postgres with Temporal',
    'check.mended': 'repaired @',
    'concurrency_limit.changed': 'changed the limit of concurrent creations',
    'event_endpoint.created': 'added @',
    'event_endpoint.removed': 'removed @',
    'event_endpoint.secret_changed': 'changed the secret of @',
    'import_job.results_read': 'downloaded results of @',
    'import_supplier.created': 'registered @',
    'list.exported': 'exported the list @',
    'market_message.assigned': 'assigned @',
    'market_message.set_aside': 'dismissed @',
    'market_messages.received': 'sent market messages',
    'note.pinned': 'pinned a note of @',
    'note.unpinned': 'unpinned a note of @',
    'operations.read': 'read @ by the API',
    'operations.searched': 'searched',
    'person.erased': 'erased the personal data of @',
    'person.exported': 'exported the personal data of @',
    'person.sessions_ended': 'ended the sessions of @',
    'person.signed_in': 'signed in',
    'person.signed_out': 'signed out',
    'population_batch.accepted': 'sent @',
    'reconciliation.values_read': 'read values of @',
    'retention.ended': 'deleted data by its age',
    'session.ended': 'ended a session',
    'site.read': 'opened the page @',
    'skip_mark.removed': 'stopped skipping @',
    'skip_mark.set': 'skipped @',
    'supply_point_claim.decided': 'decided a supply point of @',
    'switch_status.set': 'set the switch of @',
    'throttle.changed': 'set @',
    'token.ended': 'ended a token',
    'token.issued': 'got a token',
    'token.refused': 'was refused a token',
    'wave.accounts_added': 'added accounts to @',
    'wave.accounts_excluded': 'excluded accounts from @',
    'wave.accounts_moved': 'moved accounts of @',
    'wave.approval_requested': 'asked for the approval of @',
    'wave.approved': 'approved @',
    'wave.creation_requested': 'requested the creation of @',
    'wave.declined': 'declined @',
    'wave.manifest_sent': 'sent the manifest of @',
    'wave.plan_changed': 'changed the plan of @',
    'wave.rehearsed': 'rehearsed @',
    'wave.signed_off': 'signed @ off',
    'wave.withdrawal_approval_requested': 'asked for the approval to withdraw @',
    'withdrawal.ended': 'ended the withdrawal of @',
    'withdrawal.started': 'started the withdrawal of @',
  }),
]);

/** Actions to choose from: each with its name, such as `Throttle: changed`. */
export function auditActions(): (readonly [action: string, name: string])[] {
  return [...PHRASES.keys()].toSorted().map((action) => [action, nameOfAction(action)]);
}

/** The name of an action: `import_supplier.changed` is `Import supplier: changed`. */
export function nameOfAction(action: string): string {
  const [noun = '', verb = ''] = action.split('.');
  return `${labelOf(noun)}: ${verb.replaceAll('_', ' ')}`;
}

/**
 * An entry as a sentence: `Claire set the speed of Enedis: calls per second from 5 to 8: “agreed by phone”`.
 * @param subject replaces the name of the subject, for pages that are about it
 */
export function auditSentence(entry: AuditEntryView, subject: Part = subjectOf(entry.subject)): Html {
  const { actor, action, reason } = entry;
  const [before = '', after = ''] = (PHRASES.get(action) ?? `${nameOfAction(action)}: @`).split('@');
  const isAbout = PHRASES.get(action)?.includes('@') ?? true;
  const changes = changesOf(entry);
  return html`<strong>${actor.name}</strong>
    ${before}${isAbout && subject}${after}${changes !== '' && html` <span class="fine">${changes}</span>`}${
      reason !== null && reason !== '' && html`: <q>${reason}</q>`
    }`;
}

const SHOWN_CHANGES = 3;
const LENGTH_MAX = 60;

/** Changed members with their values: `status from Ongoing to Paused`. Longer changes are on the page of the entry. */
function changesOf({ action, before, after }: AuditEntryView): string {
  const [was, is] = [membersOf(before), membersOf(after)];
  if (action === 'throttle.changed') return changesOfSpeed(was, is);
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
  const shown = names.slice(0, SHOWN_CHANGES).map((name) => {
    const [old, now] = [was.get(name), is.get(name)];
    const words = labelOf(name).toLowerCase();
    return old === undefined ? `${words} ${now}` : `${words} from ${old} to ${now ?? 'none'}`;
  });
  return names.length > SHOWN_CHANGES ? `${shown.join(', ')} ...` : shown.join(', ');
}

function changesOfSpeed(was: ReadonlyMap<string, string>, is: ReadonlyMap<string, string>): string {
  return ['second', 'hour']
    .flatMap((unit) => {
      const [old, now] = [was, is].map((speed) => speed.get(`requests_per_${unit}`));
      return old === now || now === undefined
        ? []
        : [`${old === undefined ? '' : `from ${old} `}to ${now} ${unit === 'hour' ? 'an' : 'a'} ${unit}`];
    })
    .join(', ');
}

/** Texts, numbers and flags of a state, also one level below it. */
function membersOf(state: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries((state ?? {}) as Record<string, unknown>)) {
    const below =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value)
        : [[name, value] as const];
    for (const [member, one] of below) {
      if (!isTime(member) && ['string', 'number', 'boolean'].includes(typeof one)) {
        found.set(member, String(one).slice(0, LENGTH_MAX));
      }
    }
  }
  return found;
}

/** Times of the change itself, which the entry has. */
const isTime = (member: string) => member.endsWith('_at') || member === 'reason' || member === 'skip_reason';

/** Subjects of an account. A number that contains "/" is ambiguous, so it gets no link. */
const OF_ACCOUNT =
  /^(?:accounts|account-import-processes)\/([^/]+)\/([^/]+)(?:\/(?:skip|switch-status|supply-point-claim|switch-requests|market-messages|notes(?:\/\d+\/pin)?))?$/;

/** Kinds of subjects with an id: their name, and the path of their page. */
const KINDS = new Map<string, readonly [name: string, path?: (id: string) => string]>([
  ['import-suppliers', ['', supplierPath]],
  ['bulk-actions', ['bulk action', bulkActionPath]],
  ['waves', ['wave', wavePath]],
  ['import-jobs', ['job', jobPath]],
  ['market-messages', ['message', messagePath]],
  ['reconciliations', ['reconciliation', certificatePath]],
  ['event-endpoints', ['endpoint', endpointPath]],
  ['withdrawals', ['withdrawal', (id) => `/withdrawals/${encodeURIComponent(id)}`]],
  ['api-keys', ['API key']],
  ['businesses', ['business']],
]);

/** The subject of an entry as a link to its page. */
function subjectOf(subject: string): Html {
  const path = pathOfSubject(subject);
  const [kind = '', id = '', ...rest] = subject.split('/');
  const [, supplier, external] = OF_ACCOUNT.exec(subject) ?? [];
  const [name] = KINDS.get(kind) ?? [];
  if (id === '') return code(subject);
  if (path === undefined) return name === undefined ? code(subject) : html`${name} ${code(shortId(id))}`;
  if (supplier !== undefined && external !== undefined) return link(path, `${supplier} ${external}`);
  if (kind === 'network-operators' && isNetworkOperator(id)) return link(path, networkOperatorTitles[id]);
  return link(path, name === '' ? [id, ...rest].join('/') : html`${name} ${code(shortId(id))}`);
}

/** The page of a subject; undefined if it has none. */
export function pathOfSubject(subject: string): string | undefined {
  const [, supplier, external] = OF_ACCOUNT.exec(subject) ?? [];
  if (supplier !== undefined && external !== undefined) return accountPath(supplier, external);
  const [kind = '', id = ''] = subject.split('/');
  if (kind === 'network-operators' && isNetworkOperator(id)) return partyPath(id);
  return id === '' ? undefined : KINDS.get(kind)?.[1]?.(id);
}
