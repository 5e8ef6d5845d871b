import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Account, type AccountTable } from '../accounts/index.ts';
import { writeEvents } from '../events/index.ts';
import { emOf, run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { ImportSupplierTable } from '../suppliers/index.ts';
import type { MarketOutcome, SwitchStatus } from '../vocabulary/switch-statuses.ts';
import {
  type AppliedEvents,
  type PointToSwitch,
  type StoredSwitchEvent,
  applyNewEvents,
} from './switch-state.rules.ts';

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
interface SwitchedPoint extends PointToSwitch {
  position: number;
  identifier: string;
  supplyType: string;
  round: number;
}

/** A separate statement after the lock, so that it sees the commits of earlier lock holders. */
const POINTS: PreparedQuery = {
  name: 'switch-points',
  text: `
    select s.account_id as "accountId", s.position, m.identifier, m.supply_type as "supplyType", s.switch_status as status, s.switch_round as round,
      exists (select from switch_request r where r.account_id = s.account_id and r.point_position = s.position and r.round = s.switch_round and r.answered_at is not null) as "isAnswered",
      s.held_since is not null and s.released_at is null as "isHeld",
      extract(epoch from greatest(a.switch_not_before, (s.supply_start_date - $2::integer)::timestamp at time zone 'Europe/Paris') - clock_timestamp())::float8 * 1000 as "dueInMs"
    from account_supply_point s join supply_point m on m.id = s.supply_point_id join account a on a.id = s.account_id
    where s.account_id = any($1::uuid[]) order by s.account_id, s.position`,
};

/** Times as numbers, because a Date has no microseconds. */
const EVENTS: PreparedQuery = {
  name: 'switch-events',
  text: `
    select a.id as "accountId", w.message_id as "messageId", w.supply_point_identifier as "supplyPoint", w.outcome, w.status, w.effect,
      extract(epoch from w.occurred_at)::float8 * 1000 as "occurredAt", extract(epoch from w.received_at)::float8 * 1000 as "receivedAt"
    from account a join market_message w on w.import_supplier = a.import_supplier and w.external_account_number = a.external_account_number
    where a.id = any($1::uuid[]) and w.effect <> 'dismissed'`,
};

/** Finds accounts by their numbers and locks them, in the order of their ids. */
export async function lockAccountsByNumber(em: EntityManager, numbers: readonly string[]): Promise<SwitchedAccount[]> {
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
    .where('a.number', '=', sql<string>`any(${numbers}::text[])`)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute();
}

/** Finds an account by its number and locks it. */
export async function lockAccountByNumber(em: EntityManager, number: string): Promise<SwitchedAccount | undefined> {
  return (await lockAccountsByNumber(em, [number]))[0];
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

/** Reads the points of accounts by account id, in the order of the payload. */
async function readPoints(
  em: EntityManager,
  accountIds: readonly string[],
  leadDays: number,
): Promise<Map<string, SwitchedPoint[]>> {
  type Row = SwitchedPoint & { accountId: string } & Record<string, unknown>;
  return Map.groupBy(await run<Row>(em, POINTS, [accountIds, leadDays]), ({ accountId }) => accountId);
}

/** Reads the points of an account in the order of the payload. */
export async function readPointsOf(em: EntityManager, accountId: string, leadDays: number): Promise<SwitchedPoint[]> {
  return (await readPoints(em, [accountId], leadDays)).get(accountId) ?? [];
}

/** Reads the events of accounts by account id, without dismissed ones. */
async function readEvents(em: EntityManager, accountIds: readonly string[]): Promise<Map<string, StoredSwitchEvent[]>> {
  type Row = {
    accountId: string;
    messageId: string;
    supplyPoint: string | null;
    outcome: MarketOutcome | null;
    status: SwitchStatus | null;
    effect: string;
    occurredAt: number;
    receivedAt: number;
  };
  const events = new Map<string, StoredSwitchEvent[]>(accountIds.map((id) => [id, []]));
  for (const { accountId, ...row } of await run<Row>(em, EVENTS, [accountIds])) {
    events
      .get(accountId)
      ?.push({
        ...row,
        supplyPoint: row.supplyPoint ?? undefined,
        outcome: row.outcome ?? undefined,
        status: row.status ?? undefined,
      });
  }
  return events;
}

const STORE_POINTS: PreparedQuery = {
  name: 'switch-store-points',
  text: `
    update account_supply_point s set switch_status = n.status, switch_round = n.round
    from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[]) as n (account_id, position, status, round)
    where s.account_id = n.account_id and s.position = n.position`,
};

const STORE_EFFECTS: PreparedQuery = {
  name: 'switch-store-effects',
  text: `
    update market_message w set effect = n.effect, effect_detail = n.detail, effect_at = clock_timestamp()
    from unnest($1::text[], $2::text[], $3::text[]) as n (message_id, effect, detail)
    where w.message_id = n.message_id`,
};

/** Continues the history of each account; `nth` counts its new changes. */
const STORE_CHANGES: PreparedQuery = {
  name: 'switch-store-changes',
  text: `
    insert into switch_change (account_id, position, point_position, status_before, status_after, message_id)
    select n.account_id, coalesce((select max(c.position) + 1 from switch_change c where c.account_id = n.account_id), 0) + n.nth, n.point_position, n.before, n.after, n.message_id
    from unnest($1::uuid[], $2::integer[], $3::integer[], $4::text[], $5::text[], $6::text[]) as n (account_id, nth, point_position, before, after, message_id)`,
};

const STORE_STATUSES: PreparedQuery = {
  name: 'switch-store-statuses',
  text: `
    update account a set switch_status = n.status from unnest($1::uuid[], $2::text[]) as n (id, status) where a.id = n.id`,
};

/** Stores the results of the events of locked accounts, and writes an event for each account whose status changes. */
async function storeApplied(
  em: EntityManager,
  applied: readonly (AppliedEvents & { account: SwitchedAccount })[],
): Promise<void> {
  const points = applied.flatMap(({ account, points: changed }) =>
    changed.map((point) => ({ ...point, id: account.id })),
  );
  const changes = applied.flatMap(({ account, changes: made }) =>
    made.map((change, nth) => ({ ...change, nth, id: account.id })),
  );
  const effects = applied.flatMap((one) => one.effects);
  const moved = applied.filter(({ account, status }) => status !== account.status);
  if (points.length > 0) {
    await run(em, STORE_POINTS, [
      points.map(({ id }) => id),
      points.map(({ position }) => position),
      points.map(({ status }) => status),
      points.map(({ round }) => round),
    ]);
  }
  if (effects.length > 0) {
    await run(em, STORE_EFFECTS, [
      effects.map(({ messageId }) => messageId),
      effects.map(({ effect }) => effect.kind),
      effects.map(({ effect }) => effect.detail ?? null),
    ]);
  }
  if (changes.length > 0) {
    await run(em, STORE_CHANGES, [
      changes.map(({ id }) => id),
      changes.map(({ nth }) => nth),
      changes.map(({ pointPosition }) => pointPosition),
      changes.map(({ before }) => before),
      changes.map(({ after }) => after),
      changes.map(({ messageId }) => messageId),
    ]);
  }
  if (moved.length === 0) return;
  await run(em, STORE_STATUSES, [moved.map(({ account }) => account.id), moved.map(({ status }) => status)]);
  await writeEvents(
    em,
    moved.map(({ account: { importSupplier, externalAccountNumber, number }, status }) => ({
      importSupplier,
      type: `switch.${status.toLowerCase() as Lowercase<SwitchStatus>}.v1` as const,
      subject: `accounts/${externalAccountNumber}`,
      data: { external_account_number: externalAccountNumber, service_account_number: number },
    })),
  );
}

/**
 * Computes the states of points and accounts from all their events and stores them, with each change in the history. Idempotent, because the
 * states follow from the events.
 * @param accounts locked
 * @returns the points by account id
 */
export async function applyEvents(
  em: EntityManager,
  accounts: readonly SwitchedAccount[],
  leadDays: number,
): Promise<Map<string, SwitchedPoint[]>> {
  const ids = accounts.map(({ id }) => id);
  const points = await readPoints(em, ids, leadDays);
  const events = await readEvents(em, ids);
  const applied = accounts.flatMap((account) => {
    const result = applyNewEvents(points.get(account.id) ?? [], events.get(account.id) ?? []);
    return result === undefined ? [] : [{ ...result, account }];
  });
  if (applied.length === 0) return points;
  await storeApplied(em, applied);
  // Read again, because a new round has no answer.
  const changed = applied.map(({ account }) => account.id);
  return new Map([...points, ...(await readPoints(em, changed, leadDays))]);
}
