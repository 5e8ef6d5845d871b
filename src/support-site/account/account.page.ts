import { accountPath } from '../frame/paths.ts';
import { findAuditOf } from '../../access/index.ts';
import { subjectsOfAccount } from '../../access/audit/audit-filter.rules.ts';
import { changeMark } from '../../account-import/index.ts';
import { readNewestEvents } from '../../events/index.ts';
import { readAccount, readRevision } from '../../account-view/index.ts';
import { findRejections, type Rejection } from '../../import-jobs/index.ts';
import { changeNotePin } from '../../notes/index.ts';
import { parisInstant } from '../../platform/clock.ts';
import type { Reply } from '../../platform/http/route.ts';
import { isTemporalAway } from '../../platform/temporal/temporal-faults.ts';
import { retrySelected } from '../../stuck/index.ts';
import { stuckIds } from '../../stuck/stuck-id.rules.ts';
import type { StuckView } from '../../stuck/stuck.schema.ts';
import { findClaims, setSwitchStatus } from '../../switching/index.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { actionsPart, auditPart } from './account-actions.ts';
import { listPlaceOf, type ListPlace } from './account-lists.ts';
import { contractsPart, moneyPart, paymentPart } from './account-money.ts';
import { notesPart, pinnedNotesPart } from './account-notes.ts';
import { faultsPart, headPart, peoplePart, accountEventsPart, claimLinks } from './account-parts.ts';
import { stuckPart, runsOf } from './account-runs.ts';
import { revisionBody, stagedPart } from './account-staged.ts';
import { supplyPart } from './account-supply.ts';
import { outcomeOf } from '../stuck/stuck-parts.ts';
import { rejectionsPart } from '../jobs/job-records.page.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { below, readStored, type Stored } from './stored.ts';

const PATH = '/accounts/:supplier/:external';
/** Audit entries shown of each subject. */
const AUDIT_SHOWN = 50;

/** The page of an account with the forms that change it. */
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
    { method: 'GET', path: PATH, action: 'look', show: (request) => showAccount(deps, request, false) },
    {
      method: 'POST',
      path: `${PATH}/reveal`,
      action: 'contact-data.reveal',
      show: (request) => showAccount(deps, request, true),
    },
    {
      method: 'GET',
      path: `${PATH}/revisions/:revision`,
      action: 'look',
      show: (request) => showRevision(deps, request, false),
    },
    {
      method: 'POST',
      path: `${PATH}/revisions/:revision/reveal`,
      action: 'contact-data.reveal',
      show: (request) => showRevision(deps, request, true),
    },
    form('skip', 'account.change', (request) => changeMark(deps, orderOf(request), 'skip_mark.set')),
    form('unskip', 'account.change', (request) => changeMark(deps, orderOf(request), 'skip_mark.removed')),
    form('switch-status', 'account.change', (request) => {
      const { body, ...order } = orderOf(request);
      return setSwitchStatus({ ...deps, leadDays }, order, body);
    }),
    form('notes/:note/pin', 'note.pin', (request) => changeNotePin(deps, pinOrderOf(request), 'note.pinned')),
    form('notes/:note/unpin', 'note.pin', (request) => changeNotePin(deps, orderOf(request), 'note.unpinned')),
    { method: 'POST', path: `${PATH}/retry`, action: 'stuck.retry', show: (request) => retry(deps, request) },
  ];
}

/** The fields of a form as a call of the operator API, without the empty ones. */
function orderOf({ params, form, actor, log }: PageRequest) {
  return { params, body: fieldsIn(form), caller: actor, log };
}

/** Browsers send a time without its zone; the form uses the time in France. */
function pinOrderOf(request: PageRequest) {
  const { body, ...order } = orderOf(request);
  const { until, ...rest } = body;
  if (until === undefined) return { ...order, body: rest };
  const local = until.slice(0, 16);
  // Validation rejects other texts.
  const isTime = !Number.isNaN(Date.parse(`${local}Z`));
  return { ...order, body: { ...rest, unpin_at: isTime ? parisInstant(local).toISOString() : until } };
}

const pathOf = ({ params }: PageRequest) => accountPath(params['supplier'] ?? '', params['external'] ?? '');

function backWith(request: PageRequest, done: Reply | Refused): PageAnswer {
  return isRefused(done) ? done : { redirect: pathOf(request), flash: { kind: 'done', text: 'The change was saved.' } };
}

async function retry(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, actor, log, hungUp } = request;
  const done = await retrySelected(deps, { actor, log }, form.getAll('id'), hungUp());
  if (isRefused(done)) return done;
  return { redirect: pathOf(request), flash: outcomeOf(done) };
}

async function showAccount(deps: SiteDeps, request: PageRequest, isRevealed: boolean): Promise<PageAnswer> {
  const { supplier, external } = request.params;
  const isOpen = request.may('contact-data.see');
  const rejections = await findRejections(deps.database, external ?? '', supplier);
  const json = await readAccount(deps, request.actor, { supplier, external }, { isOpen, isRevealed });
  if (isRefused(json)) {
    if (json.code !== 'not_found' || rejections.length === 0) return json;
    return { title: `${supplier} ${external}`, body: neverStagedPart(rejections, deps) };
  }
  const at = pathOf(request);
  const view = readStored(json);
  const account = below(view, 'account');
  const stuck = await findStuck(deps, `${supplier}/${external}`);
  const audit = await findAuditOf(deps.database.em(), auditedAs(view, `${supplier}/${external}`), AUDIT_SHOWN);
  const events = await readNewestEvents(
    deps,
    new URLSearchParams({ import_supplier: supplier ?? '', external_account_number: external ?? '' }),
  );
  const place = listPlaceOf(request.query, at);
  const isCreated = account !== undefined;
  const claims = isCreated ? await findClaims(deps.database, supplier ?? '', external ?? '') : [];
  const body = html`${pinnedNotesPart(view, request, place)} ${headPart(view)} ${contentsPart(isCreated, request)}
  ${rejectionsPart(rejections, deps)} ${claimLinks(claims, supplier ?? '', external ?? '')} ${faultsPart(view, place)}
  ${stuckPart(view, stuck, { request, deps, at })} ${actionsPart(view, request, at)}
  ${isCreated && accountParts(account, isOpen || isRevealed ? '' : revealForm(request, at), { deps, place })}
  ${isCreated && notesPart(view, request, place)} ${stagedPart(view, place)}
  ${!isRefused(events) && accountEventsPart(events)} ${auditPart(audit, auditPath(`${supplier}/${external}`))}`;
  return { title: `${supplier} ${external}`, body };
}

/** An account that was never staged, because its records failed in import jobs. */
function neverStagedPart(rejections: readonly Rejection[], deps: SiteDeps): Html {
  return html`<p class="flash flash-wait">This account was never staged: its records failed in import jobs.</p>
    ${rejectionsPart(rejections, deps)}`;
}

function accountParts(account: Stored, reveal: Part, { deps, place }: { deps: SiteDeps; place: ListPlace }): Part {
  return html`${peoplePart(account, reveal, place)} ${supplyPart(account, place)} ${contractsPart(account, place)}
  ${paymentPart(account, deps, place)} ${moneyPart(account, place)}`;
}

const auditPath = (account: string) => `/audit?${new URLSearchParams({ account })}`;

/** Links to the parts of the page. */
function contentsPart(isCreated: boolean, request: PageRequest): Html {
  const parts = [
    ['stuck', 'Stuck work'],
    ...(request.may('account.change') ? [['do', 'Actions']] : []),
    ...(isCreated ? ACCOUNT_PARTS : []),
    ['staged', 'Staged revisions'],
    ['events', 'Events'],
    ['audit', 'Audit'],
  ];
  return html`<nav class="contents" aria-label="Parts of the page">
    ${parts.map(([anchor, name]) => html`<a href="#${anchor}">${name}</a>`)}
  </nav>`;
}

const ACCOUNT_PARTS = [
  ['people', 'People'],
  ['supply', 'Supply points'],
  ['switch', 'Switch'],
  ['contracts', 'Contracts'],
  ['payment', 'Payment'],
  ['transactions', 'Transactions'],
  ['statements', 'Statements'],
  ['notes', 'Notes'],
];

/** The content and changes of a revision. Contact data is masked for people who may not read it. */
async function showRevision(deps: SiteDeps, request: PageRequest, isRevealed: boolean): Promise<PageAnswer> {
  const isOpen = request.may('contact-data.see');
  const json = await readRevision(deps.database, request.actor, request.params, { isOpen, isRevealed });
  if (isRefused(json)) return json;
  const { supplier, external, revision: number } = request.params;
  const at = pathOf(request);
  const reveal = isOpen || isRevealed ? '' : revealForm(request, `${at}/revisions/${number}`);
  return {
    title: `${supplier} ${external}, revision ${number}`,
    body: html`${reveal} ${revisionBody(readStored(json), at)}`,
  };
}

function revealForm({ formToken }: PageRequest, at: string): Part {
  return html`<form method="post" action="${at}/reveal">
    ${formToken}<button class="quiet">Show contact data</button>
    <span class="fine">Each read is audited.</span>
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

/** The subjects of the audit that belong to an account. */
function auditedAs(view: Stored, account: string): string[] {
  return [...subjectsOfAccount(account), ...runsOf(view).map((id) => `stuck/${stuckIds.of(id)}`)];
}
