import { findBusinessContractViolations, findBusinessDetailViolations } from '../../businesses/business.rules.ts';
import { findFarAheadViolations, statementEnds } from '../../statements/statement.rules.ts';
import { type ClosedValueSets, findClosedValueSetViolations } from '../../suppliers/closed-value-set.rules.ts';
import { isAbsent, listOf, type Loose, membersIn, textOf } from '../../vocabulary/loose-payload.ts';
import { accountDescribingPaths } from '../../vocabulary/value-sets.ts';
import { type Path, violation, type Violation } from '../../vocabulary/violations.ts';
import { findAttachmentViolations } from './attachment.rules.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { findCustomerViolations } from './customer.rules.ts';
import { findPaymentPreferenceViolations } from './payment.rules.ts';
import type { KnownPhoneNumbers } from './phone-number.rules.ts';
import { findSupplyAddressViolations } from './supply-address.rules.ts';

/** Facts outside the payload that the rules need. */
export interface AccountFacts {
  /** The calendar day in France, `YYYY-MM-DD`. */
  today: string;
  /** Codes of the suppliers that the caller may import for. */
  supplierCodes: { has(code: string): boolean };
  /** The value sets that are closed for a supplier. */
  closedValueSets?: (supplierCode: string) => ClosedValueSets | undefined;
  /** Phone numbers that were parsed before. */
  phoneNumbers?: KnownPhoneNumbers | undefined;
}

/**
 * Cross-field rules of an account payload. They run on every payload, even a malformed one, and treat values of the wrong type as absent
 * (`loose-payload.ts`).
 */
export function findAccountViolations(account: AccountPayload, facts: AccountFacts): Violation[] {
  const payload = account as Loose;
  const kind = accountKind(payload);
  const supplier = textOf(payload['import_supplier']);
  return [
    ...findSupplierViolations(supplier, facts),
    ...findAccountSizeViolations(payload),
    ...findBusinessViolations(payload, kind),
    ...findCustomerViolations(payload, {
      today: facts.today,
      isDomestic: kind === 'domestic',
      phoneNumbers: facts.phoneNumbers,
    }),
    ...findSupplyAddressViolations(payload),
    ...findPaymentPreferenceViolations(payload),
    ...findAttachmentViolations(payload),
    ...findBilledAheadViolations(payload, facts.today),
    ...findClosedValueSetViolations(payload, facts.closedValueSets?.(supplier), accountDescribingPaths),
  ];
}

/** Validates the days up to which the account is billed, in its field and its statements. */
function findBilledAheadViolations(payload: Loose, today: string): Violation[] {
  const ends = [
    { day: payload['last_billed_to_date'], path: ['last_billed_to_date'] },
    ...statementEnds(listOf(payload['statements'])),
  ];
  return findFarAheadViolations(ends, today);
}

/** An account without a type is domestic. An unknown type skips the rules that depend on the type. */
function accountKind(payload: Loose): 'domestic' | 'business' | 'unknown' {
  const type = payload['account_type'];
  if (isAbsent(type)) return 'domestic';
  if (typeof type !== 'string') return 'unknown';
  if (type.startsWith('DOMESTIC')) return 'domestic';
  return type.startsWith('BUSINESS') || type === 'PORTFOLIO_LEAD' ? 'business' : 'unknown';
}

/** The supplier must be registered and within the caller's scope. The message does not list known codes. */
function findSupplierViolations(supplier: string, facts: AccountFacts): Violation[] {
  if (supplier === '' || facts.supplierCodes.has(supplier)) return [];
  return [violation('invalid_choice', ['import_supplier'], 'Your API key has no import supplier with this code.')];
}

/** A business account needs a contract or a SIRET; a domestic account must have neither business nor contracts. */
function findBusinessViolations(payload: Loose, kind: 'domestic' | 'business' | 'unknown'): Violation[] {
  const { business, account_contracts: contracts } = payload;
  const found: Violation[] = [];
  if (kind === 'domestic') {
    if (business !== undefined) found.push(violation('business_fields_provided_for_domestic_accounts', ['business']));
    if (listOf(contracts).length > 0) {
      found.push(violation('business_fields_provided_for_domestic_accounts', ['account_contracts']));
    }
    return found;
  }
  if (kind === 'business' && business === undefined) found.push(violation('required', ['business']));
  if (business !== null && typeof business === 'object' && !Array.isArray(business)) {
    const { siret, business_contract_identifier: label } = membersIn(business);
    if (isAbsent(siret) && isAbsent(label)) {
      found.push(violation('business_field_required', ['business', 'non_field_errors']));
    }
  }
  return found.concat(
    findBusinessDetailViolations(business, ['business']),
    findBusinessContractViolations(contracts, ['account_contracts']),
  );
}

/** Maximum number of rows of an account, which the database writes well within the time limit of a statement. */
const ACCOUNT_ROWS_MAX = 10_000;

/** The lists of an account payload and the lists within their items. Each item is a row. */
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

/** An account with too many rows would delay everything created beside it. The violation is reported on the longest list. */
function findAccountSizeViolations(payload: Loose): Violation[] {
  // Nearly every account is small, so rows are counted without allocating.
  let rows = businessDetailsIn(payload);
  for (const [name, lists] of LISTS) rows += rowsIn(payload[name], lists);
  return rows <= ACCOUNT_ROWS_MAX ? [] : [tooManyRows(payload, rows)];
}

function tooManyRows(payload: Loose, rows: number): Violation {
  const counts: [Path, number][] = LISTS.map(([name, lists]) => [[name], rowsIn(payload[name], lists)]);
  counts.push([['business', 'details'], businessDetailsIn(payload)]);
  const [path, most] = counts.reduce((one, other) => (other[1] > one[1] ? other : one));
  const detail = `The account has ${rows} items in all its lists together, ${most} of them in ${path.join('.')}; the limit is ${ACCOUNT_ROWS_MAX}. Omit data that can be attached after the account is created.`;
  return violation('too_many_rows', path, detail);
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
