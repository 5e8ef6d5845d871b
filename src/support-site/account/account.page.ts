import { findAuditOf, type AuditEntryView } from '../../access/index.ts';
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
import { t, dateTime } from '../frame/language.ts';
import { accepted, done, handler, page, type Page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath } from '../frame/paths.ts';
import { rejectionsPart } from '../jobs/job-records.page.ts';
import { retried } from '../stuck/stuck-parts.ts';
import { runsOf } from './account-actions.ts';
import { documentsPart, moneyPart, paymentPart } from './account-documents.ts';
import { accountTabs, headPart, titleOf } from './account-head.ts';
import { historyOf, historyPart, newestPart, type History } from './account-history.ts';
import { faultsPart, summaryPart } from './account-summary.ts';
import { supplyPart } from './account-supply.ts';
import { showOwnAccount } from './own-account.ts';
import { below, listPlaceOf, readStored, type ShownAccount, type Stored, rowsOf, textOf } from './stored.ts';
import { code, link, moment } from '../frame/cells.ts';
import { nothing, table } from '../frame/parts.ts';
import { readable } from '../frame/readable.ts';

const PATH = '/accounts/:supplier/:external';
const REVISION = `${PATH}/revisions/:revision`;
/** Audit entries shown of each subject. */
const AUDIT_SHOWN = 50;

type Tab = (typeof accountTabs)[number][0];

/** The pages of an account, one for each tab, with the forms that change it. */
export const accountPages = [
  ...accountTabs.flatMap(([tab]) => [
    page(`${PATH}${tab}`, (request) => showAccount(request, tab, false)),
    handler(`${PATH}${tab}/reveal`, 'contact-data.reveal', (request) => showAccount(request, tab, true)),
  ]),
  page(REVISION, (request) => showRevision(request, false)),
  handler(`${REVISION}/reveal`, 'contact-data.reveal', (request) => showRevision(request, true)),
  change('skip', 'account.change', (request) => changeMark(request, orderOf(request), 'skip_mark.set')),
  change('unskip', 'account.change', (request) => changeMark(request, orderOf(request), 'skip_mark.removed')),
  change('switch-status', 'account.change', (request) => {
    const leadDays = request.settings.SWITCH_LEAD_TIME_DAYS;
    return setSwitchStatus({ ...request, leadDays }, request, fieldsIn(request.form));
  }),
  change(
    'notes/:note/pin',
    'note.pin',
    (request) => changeNotePin(request, pinOrderOf(request), 'note.pinned'),
    '/documents',
  ),
  change(
    'notes/:note/unpin',
    'note.pin',
    (request) => changeNotePin(request, orderOf(request), 'note.unpinned'),
    '/documents',
  ),
  handler(`${PATH}/retry`, 'stuck.retry', async (request) => {
    const ids = request.form.getAll('id');
    return retried(pathOf(request), accepted(await retrySelected(request, request, ids, request.hungUp())));
  }),
];

/** The handler of a form that leads back to a tab of the account. */
function change(
  path: string,
  action: Page['action'],
  act: (request: PageRequest) => Promise<Reply | Refused>,
  tab: Tab = '',
): Page {
  return handler(`${PATH}/${path}`, action, async (request) => {
    accepted(await act(request));
    return done(`${pathOf(request)}${tab}`, t('The change was saved.'));
  });
}

function pinOrderOf(request: PageRequest) {
  const { until, ...rest } = fieldsIn(request.form);
  if (until === undefined) return { ...request, body: rest };
  return { ...request, body: { ...rest, unpin_at: localTimeIn(until) } };
}

const pathOf = ({ params }: PageRequest) => accountPath(params['supplier'] ?? '', params['external'] ?? '');

async function showAccount(request: PageRequest, tab: Tab, isRevealed: boolean): Promise<PageAnswer> {
  if (request.viewer !== undefined) return showOwnAccount(request);
  const { database } = request;
  const { supplier = '', external = '' } = request.params;
  const isOpen = request.may('contact-data.see');
  const isSummary = tab === '';
  const rejections = isSummary ? rejectionsPart(await findRejections(database, external, supplier), request) : '';
  const json = await readAccount(request, request.actor, { supplier, external }, { isOpen, isRevealed });
  if (isRefused(json) && json.code === 'not_found' && rejections !== '') {
    return neverStaged(`${supplier} ${external}`, rejections);
  }
  const view = readStored(accepted(json));
  const account = below(view, 'account');
  const at = pathOf(request);
  const claims = account === undefined ? [] : await findClaims(database, supplier, external);
  const shown: ShownAccount = {
    view,
    account,
    data: account ?? below(below(view, 'import_process'), 'payload') ?? {},
    at,
    place: listPlaceOf(request.query, at, `${at}${tab}`),
    request,
    isOnTwoAccounts: claims.length > 0,
  };
  const reveal = !isOpen && !isRevealed && revealForm(request, `${at}${tab}`, t('Show contact data'));
  const summary = async () => {
    const stuck = await unlessAway(() => request.stuck.list({ account: `${supplier}/${external}` }));
    const newest = newestPart((await readHistory(shown)).happenings, shown);
    return html`${faultsPart(shown, isRefused(stuck) ? undefined : stuck.stuck, claims)} ${rejections}
    ${summaryPart(shown, reveal, newest)}`;
  };
  const bodies: Readonly<Record<Tab, (of: Stored) => Html | Promise<Html>>> = {
    '': summary,
    '/supply': (of) => supplyPart(of, shown.place),
    '/money': (of) => html`${moneyPart(of, shown.place)} ${paymentPart(of, request, shown.place)}`,
    '/documents': (of) => html`${documentsPart(of, request, shown.place)} ${reveal}`,
    '/history': async () => historyPart(await readHistory(shown), shown),
  };
  // Before it is created an account has two tabs: its summary, and its history.
  const isStaged = account === undefined && tab !== '/history';
  const body = await (isStaged ? summary() : bodies[tab](account ?? {}));
  return { title: titleOf(shown), body: html`${headPart(shown, tab)} ${body}` };
}

function neverStaged(title: string, rejections: Part): PageAnswer {
  const words = t('This account was never staged: its records failed in import jobs.');
  return {
    title,
    body: html`<p class="flash flash-wait">${words}</p>
      ${rejections}`,
  };
}

async function readHistory(shown: ShownAccount): Promise<History> {
  const { view, request } = shown;
  const { supplier = '', external = '' } = request.params;
  const name = `${supplier}/${external}`;
  const subjects = [...subjectsOfAccount(name), ...runsOf(view).map((id) => `stuck/${stuckIds.of(id)}`)];
  const audit: AuditEntryView[] = await findAuditOf(request.database.em(), subjects, AUDIT_SHOWN);
  const ofAccount = new URLSearchParams({ import_supplier: supplier, external_account_number: external });
  const events = await readNewestEvents(request, ofAccount);
  const page = isRefused(events) ? undefined : events;
  return { happenings: historyOf(shown, audit, page?.events ?? []), events: page };
}

/** The content and changes of a revision. Contact data is masked for people who may not read it. */
async function showRevision(request: PageRequest, isRevealed: boolean): Promise<PageAnswer> {
  const { params, actor } = request;
  const isOpen = request.may('contact-data.see');
  const revision = accepted(await readRevision(request.database, actor, params, { isOpen, isRevealed }));
  const { supplier, external, revision: number } = params;
  const at = pathOf(request);
  const reveal = !isOpen && !isRevealed && revealForm(request, `${at}/revisions/${number}`, t('Show contact data'));
  const body = html`${reveal} ${revisionBody(readStored(revision), at)}`;
  return {
    title: t('{account}, revision {number}', { account: `${supplier} ${external}`, number: number ?? '' }),
    body,
  };
}

/** One revision: its changes and its content. */
function revisionBody(revision: Stored, at: string): Html {
  const number = Number(textOf(revision, 'revision'));
  const payload = below(revision, 'payload');
  return html`<p class="row">
      ${link(at, t('Back to the account'))}
      ${number > 1 && link(`${at}/revisions/${number - 1}`, t('Previous revision'))}
      <span class="fine">${t('staged {time}', { time: moment(textOf(revision, 'staged_at')) })}</span>
    </p>
    <h2>${t('Changes')}</h2>
    ${table(
      t('Changes'),
      rowsOf(revision, 'changes'),
      [
        [t('Field'), ({ path }) => code(Array.isArray(path) ? path.map(String).join('.') : '')],
        [t('Before'), ({ before }) => sideOf(before)],
        [t('After'), ({ after }) => sideOf(after)],
      ],
      whyNoChange(revision),
    )}
    ${textOf(revision, 'all_changes') === 'false' && html`<p>${t('Only the first changes are shown.')}</p>`}
    <h2>${t('Content')}</h2>
    ${payload === undefined ? nothing(whyNoPayload(revision)) : readable(payload)}`;
}

function whyNoPayload(revision: Stored): string {
  const deleted = textOf(revision, 'payload_deleted_at');
  return deleted === undefined
    ? t('The content is no longer stored, because there are too many later revisions.')
    : t('Retention deleted the content on {time}.', { time: dateTime(new Date(deleted)) });
}

function whyNoChange(revision: Stored): string {
  if (textOf(revision, 'content') === 'first') return t('This is the first revision.');
  if (textOf(revision, 'content') === 'same') return t('The content is the same as that of the previous revision.');
  return t('The content of the previous revision is no longer stored.');
}

function sideOf(value: unknown): Part {
  return (value ?? null) === null ? html`<span class="none">–</span>` : readable(value);
}
