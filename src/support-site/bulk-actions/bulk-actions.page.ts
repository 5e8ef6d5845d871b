import {
  countRemaining,
  createBulkAction,
  findBulkAction,
  listBulkActions,
  readBulkResults,
  steerBulkAction,
  viewOfBulkAction,
  type BulkAction,
  type BulkVerb,
} from '../../bulk-actions/index.ts';
import type { BulkActionView, BulkPreview } from '../../bulk-actions/bulk-action.schema.ts';
import {
  bulkActionKinds,
  bulkOutcomes,
  bulkOutcomeSentences,
  type BulkActionKind,
  type BulkOutcome,
} from '../../vocabulary/bulk-actions.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { accountPath, addressOf, BULK_ACTIONS, bulkActionPath, claimPath, messagePath, STUCK } from '../frame/paths.ts';
import { badge, bar, buttonLink, code, count, figure, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import { form, reason, reasonForm, type Field } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { IDS, listPages, numbers, pageOf, type List } from '../frame/list.ts';
import {
  accepted,
  done,
  existing,
  handler,
  invalid,
  page,
  polledPart,
  type PageAnswer,
  type PageRequest,
} from '../frame/page.ts';
import { auditPart, livePart, pairs, replacedParts, table } from '../frame/parts.ts';
import { causeTitle, partyTitle } from '../stuck/cause-words.rules.ts';
import { stuckTabs } from '../stuck/stuck-parts.ts';

const ACTION = `${BULK_ACTIONS}/:bulk`;
const STEER = 'bulk-action.steer';

/** Bulk actions: the list, the preview that starts one, and the progress of each. */
export const bulkActionPages = [
  ...listPages({
    path: BULK_ACTIONS,
    title: () => 'Bulk actions',
    list: actionsOf,
    isLive: true,
    body: (_, list) => html`${stuckTabs(BULK_ACTIONS)} ${list}`,
  }),
  page(`${BULK_ACTIONS}/new`, showPreview, { action: STEER, isLong: true }),
  handler(`${BULK_ACTIONS}/start`, STEER, start),
  page(ACTION, showAction),
  polledPart(`${ACTION}/progress`, showProgress),
  page(`${ACTION}/results`, downloadResults, { isLong: true }),
  ...(['pause', 'resume', 'cancel'] as const).map((verb) =>
    handler(`${ACTION}/${verb}`, STEER, (request) => steer(request, verb)),
  ),
];

const NAMES: Record<BulkActionKind, string> = {
  retry: 'Retry',
  retry_lookups: 'Retry lookups of',
  skip: 'Skip',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  assign: 'Assign',
  decide: 'Decide',
};

/** Sorted by the time-ordered keys of bulk actions. */
function actionsOf({ database, now }: PageRequest): List<BulkActionView> {
  return {
    name: 'bulk-actions',
    path: BULK_ACTIONS,
    label: 'Bulk actions, newest first',
    sorts: ['-created_at'],
    columns: {
      action: ['Action', (one) => link(bulkActionPath(one.bulk_action_id), titleOf(one)), 'row', titleOf],
      status: ['Status', statusOf],
      handled: numbers('Handled', ({ handled }) => handled),
      matched: numbers('Of', ({ matched }) => matched),
      requested_by: ['Requested by'],
      reason: ['Reason', undefined, 'advice'],
      created_at: ['Started', (one) => fromNow(one.created_at, now)],
    },
    cursors: IDS,
    read: async ({ cursor, limit }) => {
      const actions = await listBulkActions(database, limit + 1, cursor);
      return pageOf(actions.map(viewOfBulkAction), limit, (one) => one.bulk_action_id);
    },
    empty: 'There are no bulk actions yet. They start on the pages of stuck work.',
  };
}

function titleOf({ action, matched, filter }: BulkActionView): string {
  const cause = filter.cause === null ? '' : `: ${causeTitle(filter.cause)}`;
  return `${NAMES[action]} ${count(matched)}${cause}`;
}

function statusOf({ status }: BulkActionView): Html {
  return badge(status, status === 'COMPLETED' ? 'good' : status === 'RUNNING' ? 'plain' : 'warn');
}

/** The fields of an address that an action consists of. */
function bodyOf(given: URLSearchParams) {
  const member = (name: string) => given.get(name) || undefined;
  const age = member('older_than');
  if (age !== undefined && !/^\d{1,8}$/.test(age)) invalid('The age is a number of seconds.');
  const filter = {
    cause: member('cause'),
    party: member('party'),
    import_supplier: member('import_supplier'),
    wave_id: member('wave'),
    older_than_seconds: age === undefined ? undefined : Number(age),
  };
  return { action: member('action'), filter, decision: member('decision'), to_import_supplier: member('to') };
}

/** What a preview needs; the person decides it in the form. */
const PREVIEWED = { decide: { decision: 'LEAVE' }, assign: { to_import_supplier: 'preview' } };

async function showPreview(request: PageRequest): Promise<PageAnswer> {
  const { query } = request;
  const { filter, action } = bodyOf(query);
  const kind =
    membersOf(bulkActionKinds).find((known) => known === (action ?? 'retry')) ?? invalid('There is no such action.');
  const parameters = kind === 'decide' || kind === 'assign' ? PREVIEWED[kind] : {};
  const sent = { action: kind, filter, ...parameters, reason: 'preview', dry_run: true };
  const preview = accepted(await createBulkAction(request, request.actor, sent)).body as BulkPreview;
  const hidden = Object.fromEntries(
    ['cause', 'party', 'import_supplier', 'wave', 'older_than'].map((name) => [name, query.get(name)]),
  );
  const words = `${NAMES[kind]} ${count(preview.matched)}`;
  const body = html`<p>
      ${link(addressOf(STUCK, { cause: query.get('cause'), party: query.get('party') }), 'Back to the list')}
    </p>
    ${pairs([
      ['Cause', filter.cause && html`${causeTitle(filter.cause)} ${code(filter.cause)}`],
      ['Party', filter.party && partyTitle(filter.party)],
      ['Import supplier', filter.import_supplier],
      ['Wave', filter.wave_id],
      ['Stuck for more than', filter.older_than_seconds && `${count(filter.older_than_seconds / 60)} minutes`],
      ['Matching items', html`<strong>${count(preview.matched)}</strong>`],
      ['Oldest', preview.oldest_at && moment(preview.oldest_at)],
    ])}
    ${samplePart(preview, kind, request.now)}
    ${kind === 'dismiss' && html`<p>${link(addressOf(`${BULK_ACTIONS}/new`, { ...hidden, action: 'assign' }), 'Assign them to the accounts of another supplier instead')}</p>`}
    ${
      preview.matched > 0 &&
      form(request, {
        action: `${BULK_ACTIONS}/start`,
        hidden: { ...hidden, action: kind },
        fields: [...fieldsOf(kind), reason(true)],
        button: words,
        tone: kind === 'retry' || kind === 'retry_lookups' ? undefined : 'danger',
        ask: kind === 'retry' ? undefined : `${words} items? This cannot be undone together.`,
      })
    }`;
  return { title: `${words} items`, body };
}

function fieldsOf(kind: BulkActionKind): Field[] {
  const decision: Field = {
    label: 'Decision',
    name: 'decision',
    required: true,
    options: [
      ['', 'Choose'],
      ['GO_ON', 'Request the switches'],
      ['LEAVE', 'Leave the supply points to the other accounts'],
    ],
  };
  const to: Field = {
    label: 'Import supplier whose accounts have these numbers',
    name: 'to',
    maxlength: 32,
    required: true,
  };
  if (kind === 'decide') return [decision];
  return kind === 'assign' ? [to] : [];
}

function samplePart({ sample }: BulkPreview, kind: BulkActionKind, now: Date): Part {
  return (
    sample.length > 0 &&
    html`<h2>The oldest</h2>
      ${table('The oldest items', sample, [
        ['Item', (one) => subjectOf(one, kind)],
        ['Cause', (one) => causeTitle(one.cause)],
        ['Party', (one) => partyTitle(one.party)],
        ['Stuck since', (one) => fromNow(one.stuck_since, now)],
      ])}`
  );
}

function subjectOf(one: BulkPreview['sample'][number], kind: BulkActionKind): Html {
  const { item, import_supplier: supplier, external_account_number: number } = one;
  if (supplier === null || number === null) return code(item);
  const words = code(`${supplier}/${number}`);
  if (kind === 'dismiss' || kind === 'assign') return link(messagePath(item), words);
  return link((kind === 'decide' ? claimPath : accountPath)(supplier, number), words);
}

async function start(request: PageRequest): Promise<PageAnswer> {
  const body = { ...bodyOf(request.form), reason: request.form.get('reason') ?? '' };
  const started = accepted(await createBulkAction(request, request.actor, body)).body as BulkActionView;
  return done(bulkActionPath(started.bulk_action_id), 'The action is running.');
}

async function findStored({ params, database }: PageRequest) {
  const id = params['bulk'] ?? '';
  const found = isUuid(id) ? await findBulkAction(database, id) : undefined;
  return existing(found, 'There is no bulk action with this id.');
}

async function showAction(request: PageRequest): Promise<PageAnswer> {
  const stored = await findStored(request);
  const action = viewOfBulkAction(stored);
  const { cause, party, import_supplier: supplier, wave_id: wave, stuck_before: before } = action.filter;
  const run = request.runAddress(action.workflow_id);
  const body = html`${stuckTabs(BULK_ACTIONS)} ${await progressPart(request, stored)}
    <section id="steering">${steeringPart(request, stored)}</section>
    <h2>About</h2>
    ${pairs([
      ['Cause', cause !== null && html`${causeTitle(cause)} ${code(cause)}`],
      ['Party', party !== null && partyTitle(party)],
      ['Import supplier', supplier ?? undefined],
      ['Wave', wave ?? undefined],
      ['Stuck before', moment(before)],
      ['Decision', action.decision ?? undefined],
      ['Assigned to accounts of', action.to_import_supplier ?? undefined],
      ['Requested by', action.requested_by],
      ['Reason', action.reason],
      ['Started', moment(action.created_at)],
      ['Run', linkAway(run, `Open in Temporal's web UI`, code(action.workflow_id))],
    ])}
    ${await auditPart(request, 'Audit', `bulk-actions/${action.bulk_action_id}`)}`;
  return { title: titleOf(action), body };
}

/** The forms are sent only when other ones apply, so that a reason that is being typed is kept. */
async function showProgress(request: PageRequest): Promise<Html> {
  const stored = await findStored(request);
  const isSame = request.query.get('shown') === stored.status;
  return html`${await progressPart(request, stored)}
  ${!isSame && replacedParts({ steering: steeringPart(request, stored) })}`;
}

/** How long the items that an action has retried are shown as they change. */
const SETTLING_MS = 60_000;

/** Bar, outcomes, and the items that are still stuck after the end. */
async function progressPart({ lists, now }: PageRequest, stored: BulkAction): Promise<Html> {
  const action = viewOfBulkAction(stored);
  const { handled, matched, outcomes, status, ended_at: endedAt, bulk_action_id: id } = action;
  const left = stored.endedAt === null ? 0 : await countRemaining(lists, stored);
  const isSettling = left > 0 && now.getTime() - stored.endedAt!.getTime() < SETTLING_MS;
  const nameOf = (outcome: BulkOutcome) =>
    outcome === 'done' && RETRIES.has(action.action) ? 'retried' : outcome.replaceAll('_', ' ');
  const body = html`<p class="row">
      ${statusOf(action)} <span>${count(handled)} of ${count(matched)} items</span>
      ${endedAt !== null && html`<span>ended ${moment(endedAt)}</span>`}
    </p>
    ${bar(`${count(handled)} of ${count(matched)} items handled`, matched, [
      { value: outcomes.done + outcomes.gone, tone: 'good' },
      { value: outcomes.refused, tone: 'bad' },
      { value: outcomes.in_progress + outcomes.unchanged, tone: 'plain' },
    ])}
    <div class="cards figures">
      ${membersOf(bulkOutcomes).map((outcome) => outcomes[outcome] > 0 && figure(nameOf(outcome), count(outcomes[outcome])))}
      ${left > 0 && figure('still stuck', link(stuckItems(action), count(left)))}
    </div>
    ${membersOf(bulkOutcomes).map((outcome) => outcomes[outcome] > 0 && outcome !== 'done' && html`<p class="fine">${outcome.replaceAll('_', ' ')}: ${bulkOutcomeSentences[outcome]}</p>`)}`;
  const from = status === 'RUNNING' || isSettling ? `${bulkActionPath(id)}/progress?shown=${status}` : undefined;
  return livePart({ id: 'bulk-action', label: 'Progress', from, everySeconds: isSettling ? 5 : 2 }, body);
}

const RETRIES: ReadonlySet<BulkActionKind> = new Set(['retry', 'retry_lookups']);

const stuckItems = ({ filter: { cause, party, import_supplier: supplier, wave_id: wave } }: BulkActionView) =>
  addressOf(STUCK, { cause, party, import_supplier: supplier, wave });

/** The forms that steer an action that has not ended, and its outcomes as a file. */
function steeringPart(request: PageRequest, { status, endedAt, id, handled, resultsDeletedAt }: BulkAction): Part {
  const at = bulkActionPath(id);
  const results =
    resultsDeletedAt === null
      ? handled > 0 && html`<p>${buttonLink(`${at}/results`, 'Outcome of each item (NDJSON)')}</p>`
      : html`<p class="fine">The outcomes of the items were deleted ${moment(resultsDeletedAt)}.</p>`;
  if (endedAt !== null || !request.may(STEER)) return results;
  const [verb, words] = status === 'PAUSED' ? (['resume', 'Resume'] as const) : (['pause', 'Pause'] as const);
  return html`${reasonForm(request, { action: `${at}/${verb}`, button: words, tone: 'quiet' })}
  ${reasonForm(request, {
    action: `${at}/cancel`,
    button: 'Cancel',
    tone: 'danger',
    ask: 'Cancel this action? Handled items keep their outcomes; the others are not changed.',
  })}
  ${results}`;
}

const DONE: Record<BulkVerb, string> = {
  pause: 'The action is paused.',
  resume: 'The action continues.',
  cancel: 'The action was canceled. Handled items keep their outcomes.',
};

async function steer(request: PageRequest, verb: BulkVerb): Promise<PageAnswer> {
  const body = { reason: request.form.get('reason') ?? '' };
  const { body: changed } = accepted(await steerBulkAction(request, verb, { ...request, body }));
  return done(bulkActionPath((changed as BulkActionView).bulk_action_id), DONE[verb]);
}

async function downloadResults(request: PageRequest): Promise<PageAnswer> {
  const id = request.params['bulk'] ?? '';
  const { body } = accepted(await readBulkResults(request.lists, id));
  return { download: `bulk-action-${id}.ndjson`, type: 'application/x-ndjson', content: body };
}
