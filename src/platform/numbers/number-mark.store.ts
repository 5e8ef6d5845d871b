import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Queryable, type PreparedQuery } from '../database/prepared-query.ts';
import type { DatabaseMark, Reservation } from './decide-reservation.ts';

const COLUMNS = `
  m.account_from, m.account_until, (select last_value from account_number_sequence) as account_last,
  m.business_from, m.business_until, (select last_value from business_id_sequence) as business_last,
  case when m.incarnation is not null then m.incarnation = database_incarnation() end as holds,
  greatest(split_part(database_incarnation(), '/', 5)::integer - nullif(split_part(m.incarnation, '/', 5), '')::integer, 0) as promotions,
  extract(epoch from clock_timestamp())::float8 as now_seconds`;

const READ: PreparedQuery = { name: 'number-mark-read', text: `select ${COLUMNS} from number_mark m` };
/** Serializes reservations. */
const LOCK: PreparedQuery = { name: 'number-mark-lock', text: `select ${COLUMNS} from number_mark m for update of m` };

const WRITE: PreparedQuery = {
  name: 'number-mark-write',
  text: `
    update number_mark set account_from = $1, account_until = $2, business_from = $3, business_until = $4, incarnation = database_incarnation(), reserved_at = now()
    returning case when $5 then setval('account_number_sequence', $1::bigint + 1, false) end, case when $6 then setval('business_id_sequence', $3::bigint + 1, false) end`,
};

type Row = Record<
  'account_from' | 'account_until' | 'account_last' | 'business_from' | 'business_until' | 'business_last',
  string
> & { holds: boolean | null; promotions: number; now_seconds: number };

/** Reads the state of the numbers in the database. */
export async function readNumberMark(database: Queryable): Promise<DatabaseMark> {
  return markOf((await run<Row>(database, READ, []))[0] as Row);
}

/** Reads the state and locks it until the transaction ends. */
export async function lockNumberMark(em: EntityManager): Promise<DatabaseMark> {
  return markOf((await run<Row>(em, LOCK, []))[0] as Row);
}

/** Allows numbers of these ranges. Transactions that took a number before a leap fail at the bound. */
export async function writeNumberMark(em: EntityManager, account: Reservation, business: Reservation): Promise<void> {
  await run(em, WRITE, [account.from, account.until, business.from, business.until, account.leap, business.leap]);
}

function markOf(row: Row): DatabaseMark {
  return {
    account: { from: Number(row.account_from), until: Number(row.account_until), last: Number(row.account_last) },
    business: { from: Number(row.business_from), until: Number(row.business_until), last: Number(row.business_last) },
    holds: row.holds ?? undefined,
    promotions: row.promotions,
    nowSeconds: row.now_seconds,
  };
}
