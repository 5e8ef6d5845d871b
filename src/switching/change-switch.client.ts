import type { EntityManager } from '@mikro-orm/postgresql';
import { type Actor, recordAudit } from '../access/index.ts';
import { type AccountKey, accountKeySchema } from '../accounts/account-key.schema.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { Reply } from '../platform/http/route.ts';
import { type Log, loggedFault } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { signalWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import {
  claimDecisionSchema,
  type ClaimDecisionSent,
  switchStatusSchema,
  type SwitchStatusSent,
  type SwitchView,
} from './market-message.schema.ts';
import { storeByOperator, storeStatusByOperator } from './market-message.store.ts';
import {
  findAccountNumber,
  lockAccountByNumber,
  readPointsOf,
  type SwitchedAccount,
  applyEvents,
} from './switch-account.store.ts';
import { switchWorkItem } from './switch-step.store.ts';
import { viewSwitch } from './switch-view.store.ts';
import { violation } from '../vocabulary/violations.ts';
import { releasePoints } from './supply-point-claim.store.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

export interface ChangeSwitchDeps {
  database: WritableDatabase;
  /** Undefined if the caller wakes the pages of switches. */
  gateway: TemporalGateway | undefined;
  leadDays: number;
}

/** An operator's request, by the API or by a form of the support site. */
export interface SwitchOrder {
  params: Readonly<Record<string, string>>;
  caller: Actor;
  log: Log;
}

/** A change of the switch of an account by an operator. */
export interface SwitchChange {
  /** Action and subject for the audit. */
  action: string;
  subject: string;
  reason: string;
  /**
   * Makes the change in the transaction.
   * @returns a refusal, which rolls back, or the states before and after for the audit
   */
  apply(
    em: EntityManager,
    account: SwitchedAccount,
  ): Promise<Refused | ((after: SwitchView) => { before: object; after: object })>;
}

/**
 * Changes the switch of the account in the path, records it in the audit and wakes its run. The change takes effect
 * immediately, without Temporal.
 */
export async function changeSwitch(
  { database, gateway }: ChangeSwitchDeps,
  { params, caller, log }: SwitchOrder,
  { action, subject, reason, apply }: SwitchChange,
): Promise<Reply | Refused> {
  const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
  if (isRefused(key)) return refuse('account_not_found');
  const { import_supplier: importSupplier, external_account_number: external } = key;
  const number = await findAccountNumber(database, importSupplier, external);
  if (number === undefined) return refuse('account_not_found');
  const work = switchWorkItem(number, importSupplier, external);
  const done = await database.transaction(
    async (em): Promise<{ signalled: WorkItem[]; after: SwitchView } | Refused> => {
      // Work item first, then the account: the lock order of pages.
      const signalled = await signalWork(em, [work]);
      const audited = await apply(em, (await lockAccountByNumber(em, number)) as SwitchedAccount);
      if (typeof audited !== 'function') {
        await em.rollback();
        return audited;
      }
      const after = await viewSwitch(em, (await lockAccountByNumber(em, number)) as SwitchedAccount);
      await recordAudit(em, caller, {
        action,
        subject: `account-import-processes/${importSupplier}/${external}/${subject}`,
        ...audited(after),
        reason,
      });
      return { signalled, after };
    },
  );
  if (isRefused(done)) return done;
  if (gateway !== undefined) wakeSwitches({ gateway, log }, done.signalled);
  return { status: 200, body: done.after };
}

const checkStatus = compileOperatorBody<SwitchStatusSent>(switchStatusSchema);

/**
 * Sets the switch status of an account or of one of its points by hand with a reason, and records it in the audit. It takes effect
 * immediately, without Temporal. PENDING requests the switch again.
 * @param body validated by `switchStatusSchema`
 */
export async function setSwitchStatus(
  deps: ChangeSwitchDeps,
  order: SwitchOrder,
  body: unknown,
): Promise<Reply | Refused> {
  const sent = checkStatus(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  const point = sent.supply_point_identifier;
  return changeSwitch(deps, order, {
    action: 'switch_status.set',
    subject: 'switch-status',
    reason: sent.reason,
    apply: async (em, account) => {
      const before = await viewSwitch(em, account);
      if (point && !before.supply_points.some(({ identifier }) => identifier === point)) return pointNotFound();
      await storeStatusByOperator(em, account, sent);
      await applyEvents(em, [account], deps.leadDays);
      return (after) => ({ before: statusesOf(before), after: statusesOf(after) });
    },
  });
}

/** The refusal for a point that the account does not have. */
export function pointNotFound(): Refused {
  const sentence = 'The account has no supply point with this identifier.';
  return refuse('validation_failed', {
    violations: [violation('supply_point_not_found', ['supply_point_identifier'], sentence)],
  });
}

/** The state of a switch in the audit. */
export function statusesOf({ status, supply_points: points }: SwitchView): object {
  return { status, supply_points: points.map(({ identifier, status: ofPoint }) => ({ identifier, status: ofPoint })) };
}

const checkDecision = compileOperatorBody<ClaimDecisionSent>(claimDecisionSchema);

/**
 * Decides about held points of an account, which another account also has, and records it in the audit. Either the switch is requested, or
 * the points are left to the other account.
 * @param body validated by `claimDecisionSchema`
 */
export async function decideClaim(deps: ChangeSwitchDeps, order: SwitchOrder, body: unknown): Promise<Reply | Refused> {
  const sent = checkDecision(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  return changeSwitch(deps, order, {
    action: 'supply_point_claim.decided',
    subject: 'supply-point-claim',
    reason: sent.reason,
    apply: async (em, account) => {
      const wanted = sent.supply_point_identifier || undefined;
      const points = await readPointsOf(em, account.id, deps.leadDays);
      const held = points.filter(
        ({ isHeld, status, identifier }) => isHeld && status === 'PENDING' && (wanted ?? identifier) === identifier,
      );
      if (held.length === 0) return refuse('not_found', { detail: NOTHING_HELD });
      const identifiers = held.map(({ identifier }) => identifier);
      if (sent.decision === 'GO_ON') {
        const positions = held.map(({ position }) => position);
        await releasePoints(em, account.id, positions);
      } else {
        await storeByOperator(em, account, identifiers, { status: 'REJECTED', reason: sent.reason });
        await applyEvents(em, [account], deps.leadDays);
      }
      return () => ({ before: { held: identifiers }, after: { held: [], decision: sent.decision } });
    },
  });
}

const NOTHING_HELD = 'No supply point of this account needs this decision. It may have been made in the meantime.';

interface WakeDeps {
  gateway: TemporalGateway;
  log: Log;
}

/** Most switches with a run of their own that are signalled immediately; the dispatcher signals the others. */
const SIGNALLED_MAX = 64;
const CONCURRENT_CALLS = 8;

/** Wakes the runs of switches after the commit that signalled them. Does not wait: the dispatcher repeats what fails. */
export function wakeSwitches(deps: WakeDeps, signalled: readonly WorkItem[]): void {
  const paged = signalled.find(({ runsAlone }) => !runsAlone);
  if (paged !== undefined) wakePages(deps, paged);
  const alone = signalled.filter(({ runsAlone }) => runsAlone).slice(0, SIGNALLED_MAX);
  void pMap(alone, (work) => wake(deps, work), { concurrency: CONCURRENT_CALLS });
}

/** Pause after a signal to the run of pages: it is one run for all messages. */
const PAUSE_MS = 100;

/** The gateways whose run of pages is being signalled, and whether further messages have arrived since. */
const waking = new WeakMap<TemporalGateway, { isOutdated: boolean }>();

/** Wakes the run of pages. Messages that arrive during a call share the next one. */
function wakePages(deps: WakeDeps, work: WorkItem): void {
  const current = waking.get(deps.gateway);
  if (current !== undefined) {
    current.isOutdated = true;
    return;
  }
  const state = { isOutdated: true };
  waking.set(deps.gateway, state);
  void (async () => {
    while (state.isOutdated) {
      state.isOutdated = false;
      await wake(deps, work);
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    waking.delete(deps.gateway);
  })();
}

async function wake({ gateway, log }: WakeDeps, work: WorkItem): Promise<void> {
  await startWorkItem({ gateway, log }, work).catch((error: unknown) => {
    log.warn({ kind: work.kind, fault: loggedFault(error) }, 'run not signalled; the dispatcher signals it');
  });
}
