import { findBusinessContractViolations } from '../../businesses/business-contract.rules.ts';
import { findBusinessDetailViolations } from '../../businesses/business-details.rules.ts';
import { findFarAheadViolations } from '../../statements/far-ahead.rules.ts';
import { statementEnds } from '../../statements/statement.rules.ts';
import { findClosedValueSetViolations, type ClosedValueSets } from '../../suppliers/closed-value-set.rules.ts';
import { isAbsent, listOf, membersIn, textOf, type Loose } from '../../vocabulary/loose-payload.ts';
import { accountDescribingPlaces } from '../../vocabulary/value-sets.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { findAccountSizeViolations } from './account-size.rules.ts';
import { findAttachmentViolations } from './attachment.rules.ts';
import type { AccountPayload } from './account-payload.schema.ts';
import { findCustomerViolations } from './customer.rules.ts';
import { findPaymentPreferenceViolations } from './payment.rules.ts';
import type { KnownPhoneNumbers } from './phone-number.rules.ts';
import { findSupplyAddressViolations } from './supply-address.rules.ts';

/** What the rules need to know besides the payload. */
export interface AccountFacts {
  /** The calendar day in France, `YYYY-MM-DD`. */
  today: string;
  /** The codes of the suppliers that this client may import for. */
  supplierCodes: { has(code: string): boolean };
  /** The describing sets that are closed for a supplier. */
  closedValueSets?: (supplierCode: string) => ClosedValueSets | undefined;
  /** Phone numbers that were parsed before. */
  phoneNumbers?: KnownPhoneNumbers | undefined;
}

/**
 * The cross-field rules of an account payload. They run on every payload, also on one with faults of form, and read it
 * as `loose-payload.ts` says: what has not the due type is treated as absent.
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
    ...findClosedValueSetViolations(payload, facts.closedValueSets?.(supplier), accountDescribingPlaces),
  ];
}

/** The day up to which the account is billed, by its field and its statements. */
function findBilledAheadViolations(payload: Loose, today: string): Violation[] {
  const ends = [
    { day: payload['last_billed_to_date'], path: ['last_billed_to_date'] },
    ...statementEnds(listOf(payload['statements'])),
  ];
  return findFarAheadViolations(ends, today);
}

/** An account without a type is domestic; of an unknown type nothing more is asked. */
function accountKind(payload: Loose): 'domestic' | 'business' | 'unknown' {
  const type = payload['account_type'];
  if (isAbsent(type)) return 'domestic';
  if (typeof type !== 'string') return 'unknown';
  if (type.startsWith('DOMESTIC')) return 'domestic';
  return type.startsWith('BUSINESS') || type === 'PORTFOLIO_LEAD' ? 'business' : 'unknown';
}

/** The supplier is registered and within the client's scope. Known codes are not listed. */
function findSupplierViolations(supplier: string, facts: AccountFacts): Violation[] {
  if (supplier === '' || facts.supplierCodes.has(supplier)) return [];
  return [violation('invalid_choice', ['import_supplier'], 'Your API key has no import supplier with this code.')];
}

/** A business account names its contract or its SIRET; a domestic one carries neither business nor contracts. */
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
