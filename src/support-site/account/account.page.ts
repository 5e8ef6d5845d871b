import { findAuditOf } from '../../access/index.ts';
import { subjectsOfAccount } from '../../access/audit/audit-filter.rules.ts';
import { changeMark } from '../../account-import/index.ts';
import { readAccount, readRevision } from '../../account-view/index.ts';
import { readNewestEvents } from '../../events/index.ts';
import { findRejections } from '../../import-jobs/index.ts';
import { changeNotePin } from '../../notes/index.ts';
import type { Reply } from '../../platform/http/route.ts';
import { retrySelected, unlessAway } from '../../stuck/index.ts';
import { stuckIds } from '../../stuck/stuck-id.rules.ts';
import { findClaims, setSwitchStatus } from '../../switching/index.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { fieldsIn, localTimeIn, orderOf } from '../frame/form-checks.ts';
import { revealForm } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accepted, done, handler, page, type Page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, AUDIT } from '../frame/paths.ts';
import { rejectionsPart } from '../jobs/job-records.page.ts';
import { retried } from '../stuck/stuck-parts.ts';
import { actionsPart, auditPart, notesPart, pinnedNotesPart, runsOf, stuckPart } from './account-actions.ts';
import { below, listPlaceOf, readStored, type ListPlace, type Stored } from './stored.ts';
import { contractsPart, moneyPart, paymentPart } from './account-money.ts';
import { accountEventsPart, claimLinks, faultsPart, headPart, peoplePart } from './account-parts.ts';
import { revisionBody, stagedPart } from './account-staged.ts';
import { supplyPart } from './account-supply.ts';

const PATH = '/accounts/:supplier/:external';
const REVISION = `${PATH}/revisions/:revision`;
/** Audit entries shown of each subject. */
const AUDIT_SHOWN = 50;

/** The page of an account with the forms that change it. */
export const accountPages = [
  page(PATH, (request) => showAccount(request, false)),
  handler(`${PATH}/reveal`, 'contact-data.reveal', (request) => showAccount(request, true)),
  page(REVISION, (request) => showRevision(request, false)),
  handler(`${REVISION}/reveal`, 'contact-data.reveal', (request) => showRevision(request, true)),
  change('skip', 'account.change', (request) => changeMark(request, orderOf(request), 'skip_mark.set')),
  change('unskip', 'account.change', (request) => changeMark(request, orderOf(request), 'skip_mark.removed')),
  change('switch-status', 'account.change', (request) => {
    const leadDays = request.settings.SWITCH_LEAD_TIME_DAYS;
    return setSwitchStatus({ ...request, leadDays }, request, fieldsIn(request.form));
  }),
  change('notes/:note/pin', 'note.pin', (request) => changeNotePin(request, pinOrderOf(request), 'note.pinned')),
  change('notes/:note/unpin', 'note.pin', (request) => changeNotePin(request, orderOf(request), 'note.unpinned')),
  handler(`${PATH}/retry`, 'stuck.retry', async (request) => {
    const ids = request.form.getAll('id');
    return retried(pathOf(request), accepted(await retrySelected(request, request, ids, request.hungUp())));
  }),
];

/** The handler of a form that leads back to the account. */
function change(path: string, action: Page['action'], act: (request: PageRequest) => Promise<Reply | Refused>): Page {
  return handler(`${PATH}/${path}`, action, async (request) => {
    accepted(await act(request));
    return done(pathOf(request), 'The change was saved.');
  });
}

function pinOrderOf(request: PageRequest) {
  const { until, ...rest } = fieldsIn(request.form);
  if (until === undefined) return { ...request, body: rest };
  return { ...request, body: { ...rest, unpin_at: localTimeIn(until) } };
}

const pathOf = ({ params }: PageRequest) => accountPath(params['supplier'] ?? '', params['external'] ?? '');

async function showAccount(request: PageRequest, isRevealed: boolean): Promise<PageAnswer> {
  const { database, query } = request;
  const { supplier = '', external = '' } = request.params;
  const name = `${supplier}/${external}`;
  const title = `${supplier} ${external}`;
  const isOpen = request.may('contact-data.see');
  const rejections = rejectionsPart(await findRejections(database, external, supplier), request);
  const json = await readAccount(request, request.actor, { supplier, external }, { isOpen, isRevealed });
  if (isRefused(json) && json.code === 'not_found' && rejections !== '') {
    const words = 'This account was never staged: its records failed in import jobs.';
    return {
      title,
      body: html`<p class="flash flash-wait">${words}</p>
        ${rejections}`,
    };
  }
  const view = readStored(accepted(json));
  const account = below(view, 'account');
  const at = pathOf(request);
  const place = listPlaceOf(query, at);
  const stuck = await unlessAway(() => request.stuck.list({ account: name }));
  const audit = await findAuditOf(database.em(), auditedAs(view, name), AUDIT_SHOWN);
  const ofAccount = new URLSearchParams({ import_supplier: supplier, external_account_number: external });
  const events = await readNewestEvents(request, ofAccount);
  const claims = account === undefined ? [] : await findClaims(database, supplier, external);
  const reveal = !isOpen && !isRevealed && revealForm(request, at, 'contact data');
  const body = html`${pinnedNotesPart(view, request, place)} ${headPart(view)}
  ${contentsPart(account !== undefined, request)} ${rejections} ${claimLinks(claims, supplier, external)}
  ${faultsPart(view, place)} ${stuckPart(view, isRefused(stuck) ? undefined : stuck.stuck, request, at)}
  ${actionsPart(view, request, at)} ${account !== undefined && accountParts(account, reveal, request, place)}
  ${account !== undefined && notesPart(view, request, place)} ${stagedPart(view, place)}
  ${!isRefused(events) && accountEventsPart(events)} ${auditPart(audit, addressOf(AUDIT, { account: name }))}`;
  return { title, body };
}

function accountParts(account: Stored, reveal: Part, request: PageRequest, place: ListPlace): Part {
  return html`${peoplePart(account, reveal, place)} ${supplyPart(account, place)} ${contractsPart(account, place)}
  ${paymentPart(account, request, place)} ${moneyPart(account, place)}`;
}

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
async function showRevision(request: PageRequest, isRevealed: boolean): Promise<PageAnswer> {
  const { params, actor } = request;
  const isOpen = request.may('contact-data.see');
  const revision = accepted(await readRevision(request.database, actor, params, { isOpen, isRevealed }));
  const { supplier, external, revision: number } = params;
  const at = pathOf(request);
  const reveal = !isOpen && !isRevealed && revealForm(request, `${at}/revisions/${number}`, 'contact data');
  const body = html`${reveal} ${revisionBody(readStored(revision), at)}`;
  return { title: `${supplier} ${external}, revision ${number}`, body };
}

/** The subjects of the audit that belong to an account. */
function auditedAs(view: Stored, account: string): string[] {
  return [...subjectsOfAccount(account), ...runsOf(view).map((id) => `stuck/${stuckIds.of(id)}`)];
}
