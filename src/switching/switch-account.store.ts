import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Account, type AccountTable } from '../accounts/index.ts';
import { writeEvents } from '../events/index.ts';
import { emOf, kyselyOf, run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { ImportSupplierTable } from '../suppliers/index.ts';
import type { SwitchStatus } from '../vocabulary/switch-statuses.ts';
import type { MarketMessageTable, SwitchChangeTable } from './switch.entity.ts';
import type { PointToSwitch, SwitchEvent } from './switch-state.rules.ts';

/** An account with its switch. */
export interface SwitchedAccount {
  id: string;
  number: string;
  importSupplier: string;
  externalAccountNumber: string;
  status: SwitchStatus;
  /** False with the supplier option `industry_switch: false`. */
  isRequested: boolean;
}

/** A supply point of the account. */
export interface SwitchedPoint extends PointToSwitch {
  position: number;
  identifier: string;
  supplyType: string;
  round: number;
}

/** An event of the switch of the account with its effect so far. */
export interface StoredSwitchEvent extends SwitchEvent {
  effect: string;
}

/** A separate statement after the lock, so that it sees the commits of earlier lock holders. */
const POINTS: PreparedQuery = {
  name: 'switch-points',
  text: `
    select s.position, m.identifier, m.supply_type as "supplyType", s.switch_status as status, s.switch_round as round,
      exists (select from switch_request r where r.account_id = s.account_id and r.point_position = s.position and r.round = s.switch_round and r.answered_at is not null) as "isAnswered",
      s.held_since is not null and s.released_at is null as "isHeld",
      extract(epoch from (s.supply_start_date - $2::integer)::timestamp at time zone 'Europe/Paris' - clock_timestamp())::float8 * 1000 as "dueInMs"
    from account_supply_point s join supply_point m on m.id = s.supply_point_id
    where s.account_id = $1 order by s.position`,
};

/** Finds an account by its number and locks it. */
export async function lockAccountByNumber(em: EntityManager, number: string): Promise<SwitchedAccount | undefined> {
  return em
    .getKysely<AccountTable & ImportSupplierTable>()
    .selectFrom('account as a')
    .innerJoin('import_supplier as i', 'i.code', 'a.import_supplier')
    .select([
      'a.id',
      'a.number',
      'a.import_supplier as importSupplier',
      'a.external_account_number as externalAccountNumber',
      'a.switch_status as status',
      sql<boolean>`i.options -> 'industry_switch' is distinct from 'false'::jsonb`.as('isRequested'),
    ])
    .where('a.number', '=', number)
    .forNoKeyUpdate('a')
    .executeTakeFirst();
}

/** Finds the service account number of an account; it never changes. */
export async function findAccountNumber(
  database: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<string | undefined> {
  const key = { importSupplier, externalAccountNumber };
  return (await emOf(database).findOne(Account, key, { fields: ['number'] }))?.number;
}

/** Reads the points of an account in the order of the payload. */
export async function readPoints(em: EntityManager, accountId: string, leadDays: number): Promise<SwitchedPoint[]> {
  return run<SwitchedPoint & Record<string, unknown>>(em, POINTS, [accountId, leadDays]);
}

/** Reads the events of an account, without dismissed ones. */
export async function readEvents(em: EntityManager, account: SwitchedAccount): Promise<StoredSwitchEvent[]> {
  const rows = await em
    .getKysely<MarketMessageTable>()
    .selectFrom('market_message')
    .select([
      'message_id',
      'supply_point_identifier',
      'outcome',
      'status',
      'effect',
      // As numbers, because a Date has no microseconds.
      sql<number>`extract(epoch from occurred_at)::float8 * 1000`.as('occurred_at'),
      sql<number>`extract(epoch from received_at)::float8 * 1000`.as('received_at'),
    ])
    .where('import_supplier', '=', account.importSupplier)
    .where('external_account_number', '=', account.externalAccountNumber)
    .where('effect', '<>', 'dismissed')
    .execute();
  return rows.map((row) => ({
    messageId: row.message_id,
    supplyPoint: row.supply_point_identifier ?? undefined,
    outcome: row.outcome ?? undefined,
    status: row.status ?? undefined,
    effect: row.effect,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
  }));
}

/** A change of the status of a point. */
export interface PointChange {
  pointPosition: number;
  before: SwitchStatus;
  after: SwitchStatus;
  messageId: string;
}

/** Adds changes to the history of an account, in their order. */
export async function recordChanges(
  em: EntityManager,
  accountId: string,
  changes: readonly PointChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const history = kyselyOf<SwitchChangeTable>(em);
  const last = history.selectFrom('switch_change').select(({ fn }) => fn.max('position').as('last'));
  const rows = changes.map(({ pointPosition, before, after, messageId }, index) => ({
    account_id: accountId,
    position: sql<number>`coalesce(${last.where('account_id', '=', accountId)} + 1, 0) + ${index}::integer`,
    point_position: pointPosition,
    status_before: before,
    status_after: after,
    message_id: messageId,
  }));
  await history.insertInto('switch_change').values(rows).execute();
}

/** Stores the status of an account and writes the event. */
export async function moveAccount(em: EntityManager, account: SwitchedAccount, status: SwitchStatus): Promise<void> {
  const { id, importSupplier, externalAccountNumber } = account;
  await em.nativeUpdate(Account, { id }, { switchStatus: status });
  await writeEvents(em, [
    {
      importSupplier,
      type: `switch.${status.toLowerCase() as Lowercase<SwitchStatus>}.v1`,
      subject: `accounts/${externalAccountNumber}`,
      data: { external_account_number: externalAccountNumber, service_account_number: account.number },
    },
  ]);
}
