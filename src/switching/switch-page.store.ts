import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type SwitchPageBudget, switchPageBudget, switchRetrySeconds, workflowIds } from '../../temporal.config.ts';
import type { AccountTable } from '../accounts/index.ts';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import {
  beginWork,
  completeWork,
  lockWork,
  signalWork,
  type WorkItem,
} from '../platform/work-items/work-item.store.ts';
import { applyEvents, lockAccountsByNumber, type SwitchedAccount } from './switch-account.store.ts';
import { type PreparedRequest, prepareRequests, type AnsweredRequest, storeAnswers } from './switch-request.store.ts';
import { nextStep, type NextStep } from './switch-state.rules.ts';
import { endSteps, type SwitchStepEnd } from './switch-step.store.ts';

/** The run that works off switches in pages. */
const pagesWorkItem: WorkItem = { workflowId: workflowIds.requestSwitches, kind: 'request-switches', input: {} };

/** The work item of a switch, locked by the transaction of a page. */
interface SwitchItem {
  workflowId: string;
  accountNumber: string;
  /** Failed attempts to request it in a row. */
  tries: number;
}

const PAGED = "w.kind = 'switch-supplier' and not w.runs_alone";
/** The conditions of the indexes work_item_switch_signalled and work_item_switch_scheduled. */
const SIGNALLED = `${PAGED} and w.state = 'signalled'`;
const SCHEDULED = `${PAGED} and w.state is distinct from 'signalled'`;
const DUE = `${SCHEDULED} and w.start_at <= now()`;
const OF_SUPPLIER = "w.input ->> 'importSupplier' = i.code";
const ITEM = 'w.workflow_id as "workflowId", w.input ->> \'accountNumber\' as "accountNumber", w.tries';

/** Claims the oldest items of each import supplier in equal shares. Items that another transaction holds are skipped. */
const claim = (name: string, condition: string): PreparedQuery => ({
  name,
  text: `
    with i as materialized (select i.code from import_supplier i where (select true from work_item w where ${condition} and ${OF_SUPPLIER} limit 1))
    select c.* from i cross join lateral (
      select ${ITEM} from work_item w where ${condition} and ${OF_SUPPLIER}
      order by w.start_at limit (select ceil($1::float8 / count(*))::integer from i) for update skip locked) c`,
});
const CLAIM_SIGNALLED = claim('switch-claim-signalled', SIGNALLED);
const CLAIM_DUE = claim('switch-claim-due', DUE);

const LOCK: PreparedQuery = {
  name: 'switch-lock-items',
  text: `select ${ITEM} from work_item w where w.workflow_id = any($1::text[]) order by w.workflow_id for update`,
};

/** Locks the work items of accounts, in the order of their ids. */
export async function lockItems(em: EntityManager, accountNumbers: readonly string[]): Promise<void> {
  await run(em, LOCK, [accountNumbers.map((number) => workflowIds.switchSupplier(number))]);
}

/** Returns the seconds since the last answer or message of accounts, by id. */
async function quietSecondsOf(em: EntityManager, accountIds: readonly string[]): Promise<Map<string, number>> {
  if (accountIds.length === 0) return new Map();
  const newest = sql`greatest(
    (select max(r.answered_at) from switch_request r where r.account_id = a.id),
    (select max(w.received_at) from market_message w where w.import_supplier = a.import_supplier and w.external_account_number = a.external_account_number))`;
  const rows = await kyselyOf<AccountTable>(em)
    .selectFrom('account as a')
    .select(['a.id', sql<number | null>`extract(epoch from clock_timestamp() - ${newest})::float8`.as('seconds')])
    .where('a.id', 'in', accountIds)
    .execute();
  return new Map(rows.map(({ id, seconds }) => [id, seconds ?? 0]));
}

const WAITING: PreparedQuery = {
  name: 'switch-waiting',
  text: `
    select coalesce(bool_or((select true from work_item w where ${SIGNALLED} and ${OF_SUPPLIER} limit 1)), false) as "isSignalled",
      extract(epoch from min((select w.start_at from work_item w where ${SCHEDULED} and ${OF_SUPPLIER} order by w.start_at limit 1)) - now())::float8 as "dueSeconds"
    from import_supplier i`,
};

/** What is left for further pages. */
export interface PendingSwitches {
  /** Whether accounts have new messages. */
  isSignalled: boolean;
  /** Seconds until the next switch is due, negative if one is overdue; null without scheduled switches. */
  dueSeconds: number | null;
}

/** Settings of pages. */
export interface PageContext {
  leadDays: number;
  /** False if no address of the industry switch is set; no switch is due then. */
  canRequest: boolean;
}

/** Reads what is left for further pages. */
export async function readPending(
  on: Queryable,
  { canRequest }: Pick<PageContext, 'canRequest'>,
): Promise<PendingSwitches> {
  const [pending] = await run<PendingSwitches & Record<string, unknown>>(on, WAITING, []);
  return { isSignalled: pending!.isSignalled, dueSeconds: canRequest ? pending!.dueSeconds : null };
}

/** Begins a page: its run has a work item, and signals until now are read. */
export function beginPage(on: Queryable): Promise<void> {
  return beginWork(on, pagesWorkItem);
}

/**
 * Completes the work item of the run if no switch is due soon.
 * @returns the seconds until one is due; null if the work item is completed
 */
export async function endPages(em: EntityManager, context: PageContext, soonSeconds: number): Promise<number | null> {
  await lockWork(em, pagesWorkItem.workflowId);
  const { isSignalled, dueSeconds } = await readPending(em, context);
  if (isSignalled) return 0;
  if (dueSeconds !== null && dueSeconds <= soonSeconds) return Math.max(0, dueSeconds);
  await completeWork(em, [pagesWorkItem.workflowId]);
  return null;
}

/** Creates the step of the dispatcher that wakes the run of pages when switches are due or signalled. */
export const wakeDueSwitches = (on: Queryable, context: Pick<PageContext, 'canRequest'>) => async (): Promise<void> => {
  const { isSignalled, dueSeconds } = await readPending(on, context);
  if (isSignalled || (dueSeconds !== null && dueSeconds <= 0)) await signalWork(on, [pagesWorkItem], 0);
};

interface Advanced {
  item: SwitchItem;
  /** Undefined if the account was not found. */
  account: SwitchedAccount | undefined;
  next: NextStep;
}

/** Applies the new events of the accounts of locked items, and decides their next steps. */
async function advance(em: EntityManager, items: readonly SwitchItem[], leadDays: number): Promise<Advanced[]> {
  if (items.length === 0) return [];
  const accounts = await lockAccountsByNumber(
    em,
    items.map(({ accountNumber }) => accountNumber),
  );
  const points = await applyEvents(em, accounts, leadDays);
  const byNumber = new Map(accounts.map((account) => [account.number, account]));
  return items.map((item) => {
    const account = byNumber.get(item.accountNumber);
    const next: NextStep = account ? nextStep(points.get(account.id) ?? [], account.isRequested) : { kind: 'settled' };
    return { item, account, next };
  });
}

/** Stores the decisions: completes the items of settled switches, and schedules the others. */
async function endItems(
  em: EntityManager,
  advanced: readonly Advanced[],
  endOf: (one: Advanced) => Omit<SwitchStepEnd, 'workflowId'>,
): Promise<void> {
  const idOf = ({ item }: Advanced) => item.workflowId;
  const isSettled = ({ next }: Advanced) => next.kind === 'settled';
  await completeWork(em, advanced.filter(isSettled).map(idOf));
  await endSteps(
    em,
    advanced.filter((one) => !isSettled(one)).map((one) => ({ ...endOf(one), workflowId: idOf(one) })),
  );
}

/** Seconds until the next step. A wait for messages ends with the limit on silence. */
function delayOf(next: NextStep, silenceSeconds: number): number {
  if (next.kind === 'rest') return next.forMs / 1_000;
  return next.kind === 'wait' ? Math.min((next.forMs ?? Number.POSITIVE_INFINITY) / 1_000, silenceSeconds) : 0;
}

/** The end of a step after which no request is due, or the requests are left to a page. Failures end with the requests. */
function scheduled(
  { next }: Advanced,
  silenceSeconds: number,
  hold: SwitchStepEnd['hold'],
): Omit<SwitchStepEnd, 'workflowId'> {
  const failure = next.kind === 'send' ? {} : { failure: null };
  return { seconds: delayOf(next, silenceSeconds), state: null, hold, ...failure };
}

/** Applies the messages of a page of accounts. */
export async function applyMessages(
  em: EntityManager,
  { leadDays }: PageContext,
  { messagePageSize, silenceSeconds }: SwitchPageBudget,
): Promise<void> {
  const items = await run<SwitchItem & Record<string, unknown>>(em, CLAIM_SIGNALLED, [messagePageSize]);
  await endItems(em, await advance(em, items, leadDays), (one) => scheduled(one, silenceSeconds, 'keep'));
}

/** A page of due switches, held by its worker while it sends the requests. */
export interface RequestPage {
  accountNumbers: string[];
  requests: PreparedRequest[];
}

/** Claims a page of due switches and prepares their requests. Each account is held for the time of the page. */
export async function beginRequests(
  em: EntityManager,
  { leadDays }: PageContext,
  { silenceSeconds, holdSeconds }: SwitchPageBudget,
  size: number,
): Promise<RequestPage> {
  const items = await run<SwitchItem & Record<string, unknown>>(em, CLAIM_DUE, [size]);
  const advanced = await advance(em, items, leadDays);
  const toSend = advanced.filter(({ next }) => next.kind === 'send');
  const requests = await prepareRequests(
    em,
    toSend.flatMap(({ account }) => account?.id ?? []),
    leadDays,
  );
  const waiting = advanced.flatMap(({ next, account }) => (next.kind === 'wait' && account ? [account.id] : []));
  const quiet = await quietSecondsOf(em, waiting);
  await endItems(em, advanced, (one) => {
    const { next, account } = one;
    if (next.kind === 'send') return { seconds: holdSeconds, state: null, hold: 'take' };
    const quietSeconds = quiet.get(account?.id ?? '') ?? 0;
    const end = scheduled(one, Math.max(silenceSeconds - quietSeconds, 1), 'release');
    const isSilent = next.kind === 'wait' && quietSeconds >= silenceSeconds;
    return isSilent ? { ...end, seconds: delayOf(next, silenceSeconds), state: 'silent' } : end;
  });
  return { accountNumbers: toSend.map(({ item }) => item.accountNumber), requests };
}

/** A request that failed. */
export interface FailedRequest {
  accountNumber: string;
  cause: string;
  message: string;
  /** Whether it counts as a try of the account; not if the party as a whole fails. */
  isCounted: boolean;
}

/** Stores the answers of a page, applies them, and schedules each account. After too many tries an account gets a run of its own. */
export async function endRequests(
  em: EntityManager,
  { leadDays }: PageContext,
  { silenceSeconds, triesMax, retrySeconds }: SwitchPageBudget,
  page: { accountNumbers: readonly string[]; answers: readonly AnsweredRequest[]; failures: readonly FailedRequest[] },
): Promise<void> {
  const ids = page.accountNumbers.map((number) => workflowIds.switchSupplier(number));
  const locked = await run<SwitchItem & Record<string, unknown>>(em, LOCK, [ids]);
  const tries = new Map(locked.map((item) => [item.accountNumber, item.tries]));
  await storeAnswers(em, page.answers);
  // Including switches that were settled meanwhile: their answers are events too.
  const items = page.accountNumbers.map((accountNumber, index) => ({
    workflowId: ids[index]!,
    accountNumber,
    tries: tries.get(accountNumber) ?? 0,
  }));
  const failed = new Map(page.failures.map((failure) => [failure.accountNumber, failure]));
  await endItems(em, await advance(em, items, leadDays), (one) => {
    const failure = one.next.kind === 'send' ? failed.get(one.item.accountNumber) : undefined;
    if (failure === undefined) return { ...scheduled(one, silenceSeconds, 'release'), failure: null };
    const failedTries = one.item.tries + Number(failure.isCounted);
    const runsAlone = failedTries >= triesMax;
    return {
      seconds: failure.isCounted && !runsAlone ? retrySeconds * 2 ** (failedTries - 1) : 0,
      state: null,
      hold: 'release',
      failure: { tries: failedTries, runsAlone, cause: failure.cause, message: failure.message },
    };
  });
}

/**
 * The step of a switch with a run of its own: applies its events and decides. It returns to the pages when no request is due.
 * @returns the next step; anything but `send` ends the run
 */
export async function advanceAlone(em: EntityManager, accountNumber: string, leadDays: number): Promise<NextStep> {
  const work = await lockWork(em, workflowIds.switchSupplier(accountNumber));
  if (work === undefined) return { kind: 'settled' };
  const item = { workflowId: workflowIds.switchSupplier(accountNumber), accountNumber, tries: 0 };
  const [one] = (await advance(em, [item], leadDays)) as [Advanced];
  const staysAlone = work.runsAlone && one.next.kind === 'send';
  await endItems(em, [one], () =>
    staysAlone
      ? { seconds: switchRetrySeconds, state: null, hold: 'release' }
      : scheduled(one, switchPageBudget.silenceSeconds, 'keep'),
  );
  return staysAlone || one.next.kind !== 'send' ? one.next : { kind: 'settled' };
}

/** Prepares the requests of a switch with a run of its own. */
export async function prepareAlone(
  em: EntityManager,
  accountNumber: string,
  leadDays: number,
): Promise<PreparedRequest[]> {
  const accounts = await lockAccountsByNumber(em, [accountNumber]);
  const requested = accounts.filter(({ isRequested }) => isRequested);
  return prepareRequests(
    em,
    requested.map(({ id }) => id),
    leadDays,
  );
}
