/**
 * Value sets of fields. Each value is marked with its origin: the text of the API's specification (*specified*), an example in it (*seen*),
 * a public API of the same kind (*relative*), or this service (*own*).
 */
type MemberOrigin = 'specified' | 'seen' | 'relative' | 'own';

/** A set of values with the origin of each member. */
export type ValueSet = Readonly<Record<string, MemberOrigin>>;

/** Returns the values of a set in their order. */
export function membersOf<S extends ValueSet>(set: S): (keyof S & string)[] {
  return Object.keys(set);
}

/** Creates a set whose values have one origin. */
export function setOf<Name extends string>(
  origin: MemberOrigin,
  names: readonly Name[],
): Readonly<Record<Name, MemberOrigin>> {
  return Object.fromEntries(names.map((name) => [name, origin])) as Record<Name, MemberOrigin>;
}

// --- Closed sets: our behavior depends on them. Other values are `invalid_choice`. ---

export const supplyTypes = setOf('specified', ['ELECTRICITY', 'GAS']);
export type SupplyType = keyof typeof supplyTypes;

export const accountTypes = {
  DOMESTIC: 'relative',
  DOMESTIC_VACANT: 'relative',
  DOMESTIC_OCCUPIER: 'relative',
  BUSINESS: 'seen',
  BUSINESS_VACANT: 'relative',
  BUSINESS_OCCUPIER: 'relative',
  PORTFOLIO_LEAD: 'relative',
} as const satisfies ValueSet;

export const paymentPreferenceTypes = setOf('specified', ['ACTIVE_EXISTING', 'ACTIVE_NEW', 'PASSIVE']);

export const transactionTypes = setOf('seen', ['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT', 'SUPPLY_CHARGE']);

export const paymentScheduleFrequencies = {
  WEEKLY: 'relative',
  FORTNIGHTLY: 'relative',
  FOUR_WEEKLY: 'relative',
  MONTHLY: 'seen',
  QUARTERLY: 'relative',
  SIX_MONTHLY: 'relative',
  ANNUALLY: 'relative',
} as const satisfies ValueSet;

export const paymentScheduleMeans = {
  DD: 'seen',
  CARD: 'relative',
  MANUAL: 'relative',
  PAYMENT_SLIP: 'relative',
} as const satisfies ValueSet;

/** The `type` of operation 7. In account payloads the type of an instruction is an open set. */
export const paymentInstructionTypes = setOf('seen', ['CARD', 'DIRECT_DEBIT']);
export type PaymentInstructionType = keyof typeof paymentInstructionTypes;

/** The `vendor` of operation 7. In account payloads the vendor of an instruction is an open set. */
export const paymentVendors = setOf('relative', ['GOCARDLESS', 'STRIPE', 'SLIMPAY', 'ADYEN']);
export type PaymentVendor = keyof typeof paymentVendors;

export const customerCategories = { Domestic: 'seen', Professional: 'relative' } as const satisfies ValueSet;

/**
 * Closed sets that the option `open_value_sets` opens for a supplier, with the effect of an unknown value. Unknown values are kept as sent,
 * with the warning `unknown_value`.
 */
export const openableSets = {
  term_type: 'The term is kept whole, and none of its fields are checked.',
  frequency: 'The schedule is kept; no payment dates are derived from it.',
  means: 'The schedule is kept; it selects no payment instruction.',
  customer_category: 'The batch is looked up like any other.',
} as const satisfies Record<string, string>;
export type OpenableSet = keyof typeof openableSets;

/** Closed sets that operators cannot open, with the reason. */
export const lockedSets = {
  account_type: 'It decides which fields an account has and which rules apply.',
  transaction_type: 'It decides whether a transaction raises or lowers the balance.',
  vendor: 'Operation 7 verifies an instruction at its vendor, and the service has no connection to any other vendor.',
  type: 'Operation 7 verifies a mandate or a card at the vendor, and this value selects which.',
} as const satisfies Record<string, string>;

// --- Describing sets: open, values are kept as sent. Known values are documentation; an operator may close a set. ---

/** Each describing set by its name in the option `closed_value_sets`, with its known values. */
export const describingSets = {
  sales_channel: {
    DIRECT: 'seen',
    PRICE_COMPARISON: 'relative',
    TELESALES: 'relative',
    BROKER: 'relative',
    MOVE_IN: 'relative',
  },
  business_type: { EURL: 'seen' },
  deceased: { Reported: 'relative', Confirmed: 'relative' },
  payment_instruction_type: { DIRECT_DEBIT: 'seen', CARD: 'seen' },
  cheque_source: { PAPERLESS: 'seen' },
  cheque_status: { VALID: 'seen' },
  fee_type: { FLAT: 'seen', WHOLE_MONTHS_REMAINING: 'relative', WHOLE_DAYS_REMAINING: 'relative' },
  issuance_frequency: { MONTHLY: 'seen', DAILY: 'relative' },
  delayer_strategy: { FIXED: 'seen', WORKING_DAYS: 'relative' },
  rate_band: { CONSUMPTION_STANDARD: 'seen' },
  reason: {
    GENERAL_CREDIT: 'seen',
    IMPORTED_CHARGE: 'seen',
    IMPORTED_CREDIT: 'seen',
    ACCOUNT_CHARGE_PAYMENT: 'seen',
    FULL_CREDIT_REFUND: 'seen',
  },
  payment_type: { DEBIT_CARD: 'seen', DD_REGULAR_COLLECTION: 'seen', DIRECT_CREDIT: 'seen' },
  tax_type: { VAT: 'seen' },
  unit_type: { PROPORTION: 'seen', CURRENCY_PER_KWH: 'relative' },
} as const satisfies Record<string, ValueSet>;
type DescribingSet = keyof typeof describingSets;

/** Paths in a payload that use describing sets; `*` matches every item of a list. The supplier option `closed_value_sets` is checked at these paths. */
export type DescribingPaths = readonly (readonly [DescribingSet, string])[];

/** The paths within a list of business contracts. */
const pathsInContracts = (list: string): DescribingPaths => [
  ['fee_type', `${list}.*.versions.*.terms.*.fee_type`],
  ['issuance_frequency', `${list}.*.versions.*.terms.*.frequency`],
  ['delayer_strategy', `${list}.*.versions.*.terms.*.strategy`],
  ['rate_band', `${list}.*.versions.*.terms.*.schedules.*.items.*.rate_band`],
];

export const accountDescribingPaths: DescribingPaths = [
  ['sales_channel', 'sales_channel'],
  ['business_type', 'business.business_type'],
  ['deceased', 'customers.*.deceased'],
  ['payment_instruction_type', 'supply_addresses.*.supply_points.*.payment_instructions.*.type'],
  ['cheque_source', 'supplementary_ledgers.*.energy_cheques.*.source'],
  ['cheque_status', 'supplementary_ledgers.*.energy_cheques.*.status'],
  ...pathsInContracts('account_contracts'),
];

export const businessDescribingPaths: DescribingPaths = [
  ['business_type', 'business.business_type'],
  ...pathsInContracts('business.business_contracts'),
];

export const transactionDescribingPaths: DescribingPaths = [
  ['reason', 'transactions.*.reason'],
  ['payment_type', 'transactions.*.payment_type'],
  ['rate_band', 'transactions.*.line_items.*.rate_band'],
  ['tax_type', 'transactions.*.tax_items.*.tax_type'],
  ['unit_type', 'transactions.*.tax_items.*.unit_type'],
];

export const businessContractDescribingPaths: DescribingPaths = pathsInContracts('business_contracts');
