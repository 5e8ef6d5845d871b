import type { Client } from '@temporalio/client';
import type { RunKind } from '../../../temporal.config.ts';
import type { Database } from '../database/database.ts';
import { findStrayMessages, type StrayMessage } from '../../switching/index.ts';
import { findSetAside, type SetAsideLookUps } from '../../supply-points/index.ts';
import { isEnvironmentFault } from '../database/faults.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import { accountsIn, describeOpenRun, inputOfRun, listOpenRuns, subjectIn, type ConcernedAccount, type OpenRun } from './open-runs.ts';
import { viewOfStray } from './stray-messages.ts';
import { viewOfSetAside } from './set-aside-look-ups.ts';
import { adviceFor, ofState, START_OWED } from './stuck-advice.ts';
import { findOwed, type WaitingWork } from './unfinished-work.store.ts';

/** Something that waits, as operators see it. */
export interface StuckView {
  /** For `POST stuck/<id>/retry/`; stays the same for as long as it waits. */
  id: string;
  kind: RunKind | 'market-message';
  workflow_id: string;
  accounts: ConcernedAccount[];
  /** What it concerns where that is no account. */
  network_operator: string | null;
  batch_id: string | null;
  message_id: string | null;
  waiting_since: string;
  /** Attempts begun so far; 0 when its run is not there. */
  attempt: number;
  last_failure: { type: string; message: string } | null;
  /** Null while an attempt is under way, while it is paused, and while no worker takes it up. */
  next_attempt_at: string | null;
  paused: boolean;
  what_to_do: string;
}

export interface StuckList {
  stuck: StuckView[];
  /** False when more waits than is listed, or the database could not be asked for work whose run is not there. */
  complete: boolean;
}

export interface StuckWork {
  /** What waits, longest first; `account` narrows it down to an external number, or `<supplier>/<number>`. */
  list(account?: string): Promise<StuckList>;
}

const LISTED_MAX = 100;
const CACHED_MS = 2_000;
const DESCRIBED_AT_ONCE = 8;
const DEADLINE_MS = 5_000;

/**
 * Joins the work that committed states still owe with what runs in Temporal (design 4, `stuck/`): batches that wait for
 * the database, accounts whose data it refuses, owed work whose run is not there, identifiers that a network operator keeps
 * failing on, and market messages that move nothing. Read at most every 2 seconds.
 */
export function createStuckWork(deps: { database: Database; gateway: TemporalGateway; now?: () => number }): StuckWork {
  const now = deps.now ?? (() => performance.now());
  let cached: { at: number; list: Promise<StuckList> } | undefined;
  const all = (): Promise<StuckList> => {
    if (cached !== undefined && now() - cached.at < CACHED_MS) return cached.list;
    const mine = { at: now(), list: read(deps) };
    cached = mine;
    mine.list.catch(() => { if (cached === mine) cached = undefined; });
    return mine.list;
  };
  return {
    list: async (account) => {
      const everything = await all();
      if (account === undefined) return everything;
      const isMeant = ({ accounts }: StuckView) => accounts.some((one) => account === one.external_account_number || account === `${one.import_supplier}/${one.external_account_number}`);
      const found = everything.stuck.filter(isMeant);
      if (everything.complete) return { stuck: found, complete: true };
      // Beyond what is listed, the work that an account itself is owed can still be looked up.
      const owed = await read(deps, account);
      const more = owed.stuck.filter((one) => isMeant(one) && !found.some(({ id }) => id === one.id));
      return { stuck: [...found, ...more], complete: false };
    },
  };
}

/** The opaque id of a piece of work, and back. */
export const stuckIds = {
  of: (workflowId: string): string => Buffer.from(workflowId, 'utf8').toString('base64url'),
  workflowIdIn: (id: string): string | undefined => {
    const workflowId = Buffer.from(id, 'base64url').toString('utf8');
    return workflowId !== '' && stuckIds.of(workflowId) === id ? workflowId : undefined;
  },
};

/** @param account only work that this account itself is owed */
async function read({ database, gateway }: { database: Database; gateway: TemporalGateway }, account?: string): Promise<StuckList> {
  const client = gateway.client();
  return client.withDeadline(Date.now() + DEADLINE_MS, async () => {
    const [open, owed] = await Promise.all([account === undefined ? listOpenRuns(client, LISTED_MAX) : [], owedUnlessAway(database, account)]);
    const owedById = new Map((owed?.work ?? []).map((work) => [work.workflowId, work]));
    const views: StuckView[] = (owed?.stray ?? []).map((message) => viewOfStray(message, stuckIds.of));
    await eachOf([...new Set([...open, ...owedById.keys()])], async (workflowId) => {
      const view = await viewOf(client, workflowId, owedById.get(workflowId));
      if (view !== undefined) views.push(view);
    });
    // Where the operator's run fails or is not there, this is told instead: it stands under the same id.
    for (const aside of (owed?.aside ?? []).map((one) => viewOfSetAside(one, stuckIds.of))) if (!views.some(({ id }) => id === aside.id)) views.push(aside);
    views.sort((one, other) => one.waiting_since.localeCompare(other.waiting_since));
    const isCut = open.length >= LISTED_MAX || owedById.size >= LISTED_MAX || views.length > LISTED_MAX;
    return { stuck: views.slice(0, LISTED_MAX), complete: owed !== undefined && !isCut };
  });
}

/** Undefined when the database is away: what waits for it stands in Temporal. */
async function owedUnlessAway(database: Database, account: string | undefined): Promise<{ work: WaitingWork[]; stray: StrayMessage[]; aside: SetAsideLookUps[] } | undefined> {
  try {
    const [work, stray, aside] = await Promise.all([findOwed(database, LISTED_MAX, account), findStrayMessages(database, LISTED_MAX, account), account === undefined ? findSetAside(database) : []]);
    return { work, stray, aside };
  } catch (error) {
    if (isEnvironmentFault(error)) return undefined;
    throw error;
  }
}

async function viewOf(client: Client, workflowId: string, owed: WaitingWork | undefined): Promise<StuckView | undefined> {
  const run = await describeOpenRun(client, workflowId);
  if (run === undefined) return owed && viewOfOwed(owed);
  if (run.activity === undefined && !run.waitsForWorker) return owed?.state === 'silent' ? viewOfOwed(owed) : undefined;
  // These run for hours while all is well: they wait only where a step fails.
  if (isLongLived(run.kind) && !run.waitsForWorker && run.activity?.lastFailure === undefined && !run.activity?.isPaused) return undefined;
  const input = owed ? owed.input : await inputOfRun(client, run);
  const [accounts, subject] = [accountsIn(input), subjectIn(input)];
  return accounts.length === 0 && subject.network_operator === null && subject.batch_id === null ? undefined : viewOfRun(run, accounts, subject);
}

function isLongLived(kind: RunKind): boolean {
  return kind === 'look-up-supply-points' || kind === 'populate-supply-points';
}

function viewOfRun(run: OpenRun, accounts: ConcernedAccount[], subject: ReturnType<typeof subjectIn>): StuckView {
  const { activity } = run;
  return {
    id: stuckIds.of(run.workflowId), kind: run.kind, workflow_id: run.workflowId, accounts, ...subject, message_id: null,
    waiting_since: run.startedAt.toISOString(),
    attempt: activity?.attempt ?? 0,
    last_failure: activity?.lastFailure ?? null,
    next_attempt_at: activity?.isPaused ? null : (activity?.nextAttemptAt?.toISOString() ?? null),
    paused: activity?.isPaused ?? false,
    what_to_do: adviceFor(run),
  };
}

function viewOfOwed(work: WaitingWork): StuckView {
  return {
    id: stuckIds.of(work.workflowId), kind: work.kind, workflow_id: work.workflowId, accounts: accountsIn(work.input), ...subjectIn(work.input), message_id: null,
    waiting_since: work.createdAt.toISOString(), attempt: 0, last_failure: failureOfState(work), next_attempt_at: work.startAt.toISOString(), paused: false,
    what_to_do: work.state === 'unreachable' || work.state === 'silent' ? ofState[work.state] : START_OWED,
  };
}

function failureOfState({ state }: WaitingWork): StuckView['last_failure'] {
  if (state !== 'unreachable' && state !== 'silent') return null;
  return { type: `industry_switch_${state}`, message: state === 'silent' ? 'No market message has come.' : 'The industry switch did not answer.' };
}

/** Does something with each item, a few at once. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(Array.from({ length: DESCRIBED_AT_ONCE }, async () => {
    for (const item of left) await work(item);
  }));
}
