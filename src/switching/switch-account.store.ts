import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { MarketOutcome, SwitchStatus } from '../vocabulary/switch-statuses.ts';
import type { SwitchEvent } from './switch-state.rules.ts';

/** An account whose switch is looked at; its row is locked. */
export interface SwitchedAccount {
  id: string;
  number: string;
  importSupplier: string;
  externalAccountNumber: string;
  status: SwitchStatus;
  /** False: the supplier's option `industry_switch: false`. */
  isAskedFor: boolean;
}

/** A point of it. */
export interface SwitchedPoint {
  position: number;
  identifier: string;
  supplyType: string;
  status: SwitchStatus;
  round: number;
  /** The network operator has answered the request of this round. */
  isAnswered: boolean;
  /** It stands on another account too, and no operator has decided yet. */
  isHeld: boolean;
  dueInMs: number;
}

/** An event of the switch of the account, and what it did so far. */
export interface StoredSwitchEvent extends SwitchEvent {
  effect: string;
}

const COLUMNS = `a.id, a.number, a.import_supplier as "importSupplier", a.external_account_number as "externalAccountNumber", a.switch_status as status,
  i.options -> 'industry_switch' is distinct from 'false'::jsonb as "isAskedFor"`;

const LOCK_BY_NUMBER: PreparedQuery = {
  name: 'switch-lock-account',
  text: `select ${COLUMNS} from account a join import_supplier i on i.code = a.import_supplier where a.number = $1 for no key update of a`,
};

const NUMBER_OF: PreparedQuery = {
  name: 'switch-number-of',
  text: 'select number from account where import_supplier = $1 and external_account_number = $2',
};

/** Read in a statement after the lock, so that it shows what those before us have committed. */
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

const EVENTS: PreparedQuery = {
  name: 'switch-events',
  text: `
    select message_id, supply_point_identifier, outcome, status, effect,
      extract(epoch from occurred_at)::float8 * 1000 as occurred_at, extract(epoch from received_at)::float8 * 1000 as received_at
    from market_message where import_supplier = $1 and external_account_number = $2 and effect <> 'dismissed'`,
};

const MOVE_POINT: PreparedQuery = {
  name: 'switch-move-point',
  text: 'update account_supply_point set switch_status = $3, switch_round = $4 where account_id = $1 and position = $2',
};

const NOTE_CHANGE: PreparedQuery = {
  name: 'switch-note-change',
  text: `
    insert into switch_change (account_id, position, point_position, status_before, status_after, message_id)
    select $1, coalesce(max(c.position) + 1, 0), $2, $3, $4, $5 from switch_change c where c.account_id = $1`,
};

const MOVE_ACCOUNT: PreparedQuery = {
  name: 'switch-move-account',
  text: 'update account set switch_status = $2 where id = $1',
};

const NOTE_EFFECT: PreparedQuery = {
  name: 'switch-note-effect',
  text: 'update market_message set effect = $2, effect_detail = $3, effect_at = clock_timestamp() where message_id = $1',
};

/** Locks an account by its own number; undefined if there is none. */
export async function lockAccountByNumber(em: EntityManager, number: string): Promise<SwitchedAccount | undefined> {
  const [account] = await run<SwitchedAccount & Record<string, unknown>>(em, LOCK_BY_NUMBER, [number]);
  return account;
}

/** The own number of an account, if it has been created; it never changes. */
export async function findAccountNumber(
  database: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<string | undefined> {
  const [found] = await run<{ number: string }>(database, NUMBER_OF, [importSupplier, externalAccountNumber]);
  return found?.number;
}

/** The points of an account, in the payload's order. */
export async function readPoints(em: EntityManager, accountId: string, leadDays: number): Promise<SwitchedPoint[]> {
  return run<SwitchedPoint & Record<string, unknown>>(em, POINTS, [accountId, leadDays]);
}

/** All events of an account that count. */
export async function readEvents(em: EntityManager, account: SwitchedAccount): Promise<StoredSwitchEvent[]> {
  interface Row extends Record<string, unknown> {
    message_id: string;
    supply_point_identifier: string | null;
    outcome: MarketOutcome | null;
    status: SwitchStatus | null;
    effect: string;
    occurred_at: number;
    received_at: number;
  }
  const rows = await run<Row>(em, EVENTS, [account.importSupplier, account.externalAccountNumber]);
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

/** Writes the state of a point. */
export async function movePoint(
  em: EntityManager,
  accountId: string,
  position: number,
  status: SwitchStatus,
  round: number,
): Promise<void> {
  await run(em, MOVE_POINT, [accountId, position, status, round]);
}

/** Adds a change to the history of an account. */
export async function noteChange(
  em: EntityManager,
  accountId: string,
  pointPosition: number,
  before: SwitchStatus,
  after: SwitchStatus,
  messageId: string,
): Promise<void> {
  await run(em, NOTE_CHANGE, [accountId, pointPosition, before, after, messageId]);
}

/** Writes the status of an account. */
export async function moveAccount(em: EntityManager, accountId: string, status: SwitchStatus): Promise<void> {
  await run(em, MOVE_ACCOUNT, [accountId, status]);
}

/** Writes what one event did. */
export async function noteEffect(
  em: EntityManager,
  messageId: string,
  effect: string,
  detail: string | undefined,
): Promise<void> {
  await run(em, NOTE_EFFECT, [messageId, effect, detail ?? null]);
}
