import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit, type Actor } from '../access/index.ts';
import { accountKeySchema, type AccountKey } from '../accounts/account-key.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { Reply } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import type { SwitchView } from './market-message.schema.ts';
import { switchWorkItem } from './market-message.store.ts';
import { findAccountNumber, lockAccountByNumber, type SwitchedAccount } from './switch-account.store.ts';
import { viewSwitch } from './switch-view.store.ts';
import { wakeSwitches } from './wake-switches.client.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

export interface ChangeSwitchDeps {
  database: Database;
  gateway: TemporalGateway;
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
 * Changes the switch of the account in the path, records it in the audit and wakes the run of the account. The change takes effect
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
  const done = await database.transaction(async (em): Promise<SwitchView | Refused> => {
    // Work item first, then the account: the lock order of runs.
    await signalWork(em, [work]);
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
    return after;
  });
  if (isRefused(done)) return done;
  await wakeSwitches({ gateway, log }, [work]);
  return { status: 200, body: done };
}
