import { sql } from 'kysely';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';
import { queriedVendorOf, type CountedInstructions, type QueryableInstruction } from './queried-instructions.rules.ts';
import type { ReconciliationTable } from './reconciliation.entity.ts';
import { findKeys, type PositionBound, type ReconciliationRecord } from './reconciliation.store.ts';
import type { VendorProgress } from './tally.rules.ts';

/** An instruction in force: verified, or sent with its account, and not replaced. */
export interface InstructionInForce extends QueryableInstruction {
  /** External number of its account. */
  key: string;
  accountId: string;
  position: number;
  reference: string;
  /** The cursor position of its account: the key, or the line in the job. */
  place: string;
}

/** The next page of instructions. */
export interface NextInstructions {
  instructions: readonly InstructionInForce[];
  /** The cursor after them. */
  after: VendorProgress['after'];
  /** Whether no further instruction follows among the accounts compared so far. */
  isLast: boolean;
}

/** Instructions per read. */
const INSTRUCTIONS = 500;
/** Accounts per read. */
const ACCOUNTS = 200;
/** Most reads for one page; then the cursor is stored. */
const READS = 20;
/** Greater than the position of any instruction. */
const END_OF_ACCOUNT = 2_147_483_647;

/**
 * The instructions of one account. `offset 0` makes the planner find them by the account first: while the table has no statistics, as just
 * after a large import, it would otherwise scan the index of all instructions in force for each account.
 */
const instructionsOf = (account: string) =>
  `(select * from payment_instruction own where own.account_id = ${account} offset 0)`;

const COUNT: PreparedQuery = {
  name: 'reconcile-instructions-in-force',
  text: `
    select i.vendor, i.type, i.verified_at is not null as "isVerified", count(*)::integer as count,
      (count(*) filter (where i.verified_at is not null and (v.outcome = 'verified' and v.vendor = i.vendor and v.type = i.type
        and v.reference = i.reference and v.account_id = i.account_id and v.point_position is not distinct from i.point_position
        ) is not true))::integer as "unlikeVerification"
    from unnest($1::uuid[]) as w (id) cross join lateral ${instructionsOf('w.id')} i
      left join payment_verification v on v.id = i.verification_id and i.verified_at is not null
    where i.replaced_at is null group by 1, 2, 3`,
};

/** Counts instructions in force of accounts, by the properties that decide whether they are queried. */
export async function countInstructionsInForce(
  on: Queryable,
  accountIds: readonly string[],
): Promise<CountedInstructions[]> {
  return run<CountedInstructions & Record<string, unknown>>(on, COUNT, [accountIds]);
}

const IN_FORCE: PreparedQuery = {
  name: 'asking-instructions-in-force',
  text: `
    select e.key, e.place, i.account_id as "accountId", i.position, i.vendor, i.type, i.reference, i.verified_at is not null as "isVerified"
    from unnest($2::text[], $3::text[]) with ordinality as e (key, place, n)
      cross join lateral (select id from account own where own.import_supplier = $1 and own.external_account_number = e.key offset 0) a
      cross join lateral ${instructionsOf('a.id')} i
    where i.replaced_at is null and (e.place <> $4 or i.position > $5)
    order by e.n, i.position limit ${INSTRUCTIONS}`,
};

/** Reads the next instructions in force after a cursor, of accounts that were already compared. */
async function readNext(
  on: Queryable,
  record: ReconciliationRecord,
  after: VendorProgress['after'],
): Promise<NextInstructions> {
  const [from, position] = after;
  const bounds: PositionBound[] = [['>=', from]];
  if (record.subject === 'account' && record.tally.compared_at === undefined) bounds.push(['<=', record.position]);
  const keys = await findKeys(on, record, 'account', bounds, ACCOUNTS);
  const instructions = await run<InstructionInForce & Record<string, unknown>>(on, IN_FORCE, [
    record.importSupplier,
    keys.map(({ key }) => key),
    keys.map((one) => one.position),
    from,
    position,
  ]);
  const last = instructions.length === INSTRUCTIONS ? instructions.at(-1) : undefined;
  if (last !== undefined) return { instructions, after: behind(last), isLast: false };
  const end = keys.at(-1)?.position;
  return { instructions, after: end === undefined ? after : [end, END_OF_ACCOUNT], isLast: keys.length < ACCOUNTS };
}

/** The cursor after an instruction. */
export const behind = ({ place, position }: InstructionInForce): VendorProgress['after'] => [place, position];

/**
 * Finds the next instructions in force to query at a vendor, in the order in which the accounts were compared.
 * @param most the limit
 */
export async function findNextInstructions(
  on: Queryable,
  record: ReconciliationRecord,
  vendor: PaymentVendor,
  after: VendorProgress['after'],
  most: number,
): Promise<NextInstructions> {
  const found: InstructionInForce[] = [];
  let at = after;
  for (let reads = 0; reads < READS; reads += 1) {
    const next = await readNext(on, record, at);
    const isOfOperator = record.organisation === null;
    found.push(...next.instructions.filter((one) => queriedVendorOf(one, isOfOperator) === vendor));
    const last = found[most - 1];
    if (last !== undefined) return { instructions: found.slice(0, most), after: behind(last), isLast: false };
    at = next.after;
    if (next.isLast) return { instructions: found, after: at, isLast: true };
  }
  return { instructions: found, after: at, isLast: false };
}

/** SQL for the path of the supply point `row` in the payload of its account. */
export const pointPathSql = (row: string) => `'supply_addresses.' || ${row}.address_position || '.supply_points.' || (
  select count(*) from account_supply_point b
  where b.account_id = ${row}.account_id and b.address_position = ${row}.address_position and b.position < ${row}.position)`;

const STILL_IN_FORCE: PreparedQuery = {
  name: 'asking-still-in-force',
  text: `
    select e.n::integer - 1 as index,
      coalesce(${pointPathSql('s')}, 'supply_points.*') || '.payment_instructions.' || case when i.verification_id is not null then i.position else (
        select count(*) from payment_instruction b
        where b.account_id = i.account_id and b.point_position = i.point_position and b.position < i.position) end as path
    from unnest($1::uuid[], $2::integer[], $3::text[]) with ordinality as e (account_id, position, reference, n)
      join payment_instruction i on i.account_id = e.account_id and i.position = e.position and i.reference = e.reference and i.replaced_at is null
      left join account_supply_point s on s.account_id = i.account_id and s.position = i.point_position`,
};

/**
 * Finds the paths of instructions, as used in differences.
 * @returns by index in `instructions`; without instructions that were replaced meanwhile
 */
export async function findPathsInForce(
  on: Queryable,
  instructions: readonly InstructionInForce[],
): Promise<ReadonlyMap<number, string>> {
  if (instructions.length === 0) return new Map();
  const rows = await run<{ index: number; path: string }>(on, STILL_IN_FORCE, [
    instructions.map(({ accountId }) => accountId),
    instructions.map(({ position }) => position),
    instructions.map(({ reference }) => reference),
  ]);
  return new Map(rows.map(({ index, path }) => [index, path]));
}

/** Counts the queries of the last day to a vendor about instructions of an import supplier, over all reconciliations. */
export async function countQueriesInADay(
  on: Queryable,
  importSupplier: string,
  vendor: PaymentVendor,
): Promise<number> {
  const { queries } = await kyselyOf<ReconciliationTable>(on)
    .selectFrom('reconciliation')
    .select(sql<number>`coalesce(sum((tally #>> ${['vendors', vendor, 'asked']})::integer), 0)::integer`.as('queries'))
    .where('import_supplier', '=', importSupplier)
    .where(({ eb, or }) => or([eb('ended_at', 'is', null), eb('ended_at', '>', sql<Date>`now() - interval '1 day'`)]))
    .executeTakeFirstOrThrow();
  return queries;
}
