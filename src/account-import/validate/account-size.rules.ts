import { listOf, membersIn, type Loose } from '../../vocabulary/loose-payload.ts';
import { violation, type Path, type Violation } from '../../vocabulary/violations.ts';

/** Rows that an account may have in all: what the database writes well within the time of one statement. */
const ACCOUNT_ROWS_MAX = 10_000;

/** The lists of an account payload, and the lists in their items: each item is a row. */
interface Lists {
  readonly [name: string]: Lists;
}

const LISTS = Object.entries<Lists>({
  customers: {},
  supply_addresses: { supply_points: { agreements: { addons: {} }, payment_schedules: {}, payment_instructions: {} } },
  statements: {},
  supplementary_ledgers: { energy_cheques: {} },
  notes: { document_paths: {} },
  account_campaigns: {},
  metadata: {},
  account_contracts: { versions: { terms: {} } },
  payment_preferences: {},
});

/** An account of too many rows would hold up all that is created beside it; the list that most of them are in is named. */
export function findAccountSizeViolations(payload: Loose): Violation[] {
  // Nearly every account is small: counted only, without anything made for it.
  let rows = businessDetailsIn(payload);
  for (const [name, lists] of LISTS) rows += rowsIn(payload[name], lists);
  return rows <= ACCOUNT_ROWS_MAX ? [] : [tooManyRows(payload, rows)];
}

function tooManyRows(payload: Loose, rows: number): Violation {
  const counts: [Path, number][] = LISTS.map(([name, lists]) => [[name], rowsIn(payload[name], lists)]);
  counts.push([['business', 'details'], businessDetailsIn(payload)]);
  const [place, most] = counts.reduce((one, other) => (other[1] > one[1] ? other : one));
  const detail = `The account has ${rows} items in all its lists together, ${most} of them in ${place.join('.')}; the limit is ${ACCOUNT_ROWS_MAX}. Omit data that can be attached after the account is created.`;
  return violation('too_many_rows', place, detail);
}

function businessDetailsIn(payload: Loose): number {
  return listOf(membersIn(payload['business'])['details']).length;
}

function rowsIn(value: unknown, lists: Lists): number {
  const items = listOf(value);
  let rows = items.length;
  for (const name in lists) {
    for (const item of items) rows += rowsIn(membersIn(item)[name], lists[name] as Lists);
  }
  return rows;
}
