import type { AccountPayload } from '../../src/accounts/account-payload.schema.ts';
import type { BusinessContract } from '../../src/businesses/business.schema.ts';

type Overrides = Partial<AccountPayload>;

/** Fourteen digits, unique per `sequence` below a hundred million; the kind is the first digit. */
export function meterPointNumber(kind: 2 | 3, sequence: number): string {
  return `${kind}${String(sequence).padStart(13, '0')}`;
}

/** A valid SIRET, unique per `sequence` below ten million. */
export function siretOf(sequence: number): string {
  const siren = withLuhnDigit(`8${String(sequence).padStart(7, '0')}`);
  return withLuhnDigit(`${siren}0001`);
}

function withLuhnDigit(digits: string): string {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** One supply point with all its documented fields. */
export function supplyPoint(supplyType: 'ELECTRICITY' | 'GAS', sequence: number) {
  const isGas = supplyType === 'GAS';
  const identifier = meterPointNumber(isGas ? 3 : 2, sequence);
  return {
    identifier,
    supply_type: supplyType,
    supply_start_date: '2022-10-01',
    billing_frequency: 2,
    agreements: [
      {
        tariff_code: isGas ? 'BOREAL-GAS-FIXED-22' : 'BOREAL-POWER-FIXED-22',
        agreed_at: '2022-09-12T16:20:05Z',
        effective_from: '2022-10-01',
        effective_to: '2023-10-01',
        addons: [{ band: 'WINTER_PEAK' }, { band: 'METER_RENTAL' }],
      },
      {
        tariff_code: isGas ? 'BOREAL-GAS-OPEN' : 'BOREAL-POWER-OPEN',
        agreed_at: '2023-09-02T08:00:00+02:00',
        effective_from: '2023-10-01',
      },
    ],
    payment_schedules: [
      {
        amount: 61.25,
        day_of_month: 11,
        frequency: 'MONTHLY' as const,
        means: 'DD' as const,
        start_date: '2022-10-11',
      },
      {
        amount: '72.40',
        day_of_month: 11,
        frequency: 'MONTHLY' as const,
        means: 'DD' as const,
        start_date: '2023-10-11',
      },
    ],
    payment_instructions: [
      { vendor: 'SEPA_HOUSE', reference: `RUM-${identifier}`, type: 'DIRECT_DEBIT', valid_from: '2022-10-01' },
    ],
    consent_data: isGas ? { GAS_INDEXES: true } : { ELEC_CURVES: false, ELEC_INDEXES: true },
  };
}

/** One business contract with a term of every type. */
export function businessContract(identifier: string): BusinessContract {
  return {
    identifier,
    valid_from_date: '2024-01-01',
    signed_at_date: '2023-11-20',
    versions: [
      {
        applicable_at_date: '2024-01-01',
        terms: [
          {
            term_type: 'CONTRACT_METADATA',
            is_variable: false,
            metadata: { cee_formula_type: 'STANDARD', reviewed: null },
          },
          {
            term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
            schedules: [
              {
                effective_from: '2024-01-01',
                items: [{ price_per_unit: '0.1432', rate_band: 'CONSUMPTION_STANDARD', product_code: 'BOREAL-PRO' }],
              },
            ],
          },
          { term_type: 'TERMINATION_FEE', amount: 250, fee_type: 'FLAT', supply_type: 'ELECTRICITY' },
          {
            term_type: 'ISSUANCE_FREQUENCY',
            frequency: 'MONTHLY',
            multiplier: 1,
            period_start_day: 1,
            period_start_month: 4,
          },
          {
            term_type: 'RATE_GROUP_ELIGIBILITY',
            schedules: [
              {
                effective_period: { start_date: '2024-01-01', end_date: '2025-01-01' },
                product_code: 'BOREAL-PRO',
                rate_group_code: 'NETWORK',
                is_eligible: true,
              },
            ],
            time_series_specification_schedules: [],
          },
          { term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: 75, is_variable: true },
          { term_type: 'PAYS_BY_DIRECT_DEBIT', pays_by_direct_debit: true },
          { term_type: 'DELAYER_DAYS', strategy: 'FIXED', days: 5 },
          {
            term_type: 'CHARACTERISTIC_OVERRIDE',
            overrides: [{ characteristic_code: 'INVOICE_LAYOUT', override_value: 'GROUPED' }],
          },
        ],
      },
      { applicable_at_date: '2025-01-01', terms: [] },
    ],
  };
}

/**
 * A valid account of a household, about 4 KB, with all documented fields of such an account.
 * @param sequence makes account number, supply points and cheque unique
 */
// oxlint-disable-next-line max-lines-per-function -- one literal with every documented field of an account
export function domesticAccount(overrides: Overrides = {}, sequence = 1): AccountPayload {
  return {
    external_account_number: `HOME-${String(sequence).padStart(8, '0')}`,
    import_supplier: 'BOREAL',
    account_type: 'DOMESTIC',
    unknown_occupier: false,
    billing_address1: '7 quai des Tanneurs',
    billing_address2: 'Résidence du Moulin',
    billing_address3: 'Colmar',
    billing_address4: '',
    billing_postcode: '68000',
    sales_channel: 'DIRECT',
    sales_subchannel: 'TOWN_HALL_STAND',
    last_billed_to_date: '2024-08-31',
    customers: [
      {
        title: 'Mme',
        given_name: 'Noémie',
        family_name: 'Zeller',
        email: `noemie.zeller.${sequence}@example.org`,
        mobile: '+33612345678',
        landline: '03 89 20 20 20',
        date_of_birth: '1979-02-28',
        deceased: '',
        customer_preferences: {
          opted_into_updates: true,
          opted_into_sms: false,
          opted_into_offers: false,
          opted_into_recommended: true,
        },
      },
      {
        title: 'M.',
        given_name: 'Anatole',
        family_name: 'Zeller',
        email: null,
        mobile: null,
        landline: '',
        date_of_birth: '1976-11-30',
        deceased: 'Reported',
      },
    ],
    supply_addresses: [
      {
        supply_address1: '7 quai des Tanneurs',
        supply_address2: 'Résidence du Moulin',
        supply_address3: 'Colmar',
        supply_address4: '',
        supply_postcode: '68000',
        customer_at_supply_address_from_date: '2015-07-01',
        supply_points: [supplyPoint('ELECTRICITY', sequence), supplyPoint('GAS', sequence)],
      },
    ],
    statements: [
      {
        bill_period_from_date: '2024-07-01',
        bill_period_to_date: '2024-07-31',
        statement_id: `BILL-07-${sequence}`,
        statement_path: `bills/2024-07/${sequence}.pdf`,
      },
      {
        bill_period_from_date: '2024-08-01',
        bill_period_to_date: '2024-08-31',
        statement_id: `BILL-08-${sequence}`,
        statement_path: `/bills/2024-08/${sequence}.pdf`,
      },
    ],
    supplementary_ledgers: [
      {
        ledger_code: 'CHEQUE_ENERGIE',
        energy_cheques: [
          {
            number: `CE${String(sequence).padStart(10, '0')}`,
            amount: 19_400,
            protection_from: '2024-04-01',
            protection_to: '2025-03-31',
            valid_to: '2025-03-31',
            source: 'PAPERLESS',
            status: 'VALID',
            asp_remittance_ref: `REMIT-${sequence}`,
          },
        ],
      },
    ],
    notes: [
      {
        created_at: '2024-08-14T09:41:00+02:00',
        body: 'Asked for paper bills; meter stands behind the gate.',
        document_paths: [{ document_path: `letters/${sequence}.pdf` }],
      },
      { document_paths: [{ document_path: `photos/${sequence}/meter.jpg` }] },
    ],
    account_campaigns: [{ slug: 'solar-roofs', campaign_note: 'interested in panels' }],
    metadata: [
      { key: 'previous_system', value: { customer_key: 55_210 + sequence, tags: ['paper', null], since: '2009' } },
    ],
    payment_preferences: [
      {
        type: 'ACTIVE_NEW',
        supply_point_identifier: meterPointNumber(2, sequence),
        instruction_reference_params: {
          vendor_name: 'SEPA_HOUSE',
          vendor_reference: `RUM-${meterPointNumber(2, sequence)}`,
        },
      },
      { type: 'PASSIVE', supply_point_identifier: meterPointNumber(3, sequence) },
    ],
    ...overrides,
  };
}

/** A valid account of a business with its own contract; otherwise like `domesticAccount`. */
export function businessAccount(overrides: Overrides = {}, sequence = 1): AccountPayload {
  const siret = siretOf(sequence);
  return {
    ...domesticAccount({}, sequence),
    external_account_number: `FIRM-${String(sequence).padStart(8, '0')}`,
    account_type: 'BUSINESS',
    business: {
      business_type: 'EURL',
      siret,
      details: [
        { key: 'siren', value: siret.slice(0, 9) },
        { key: 'naf', value: '3511Z' },
      ],
      business_contract_identifier: `FRAME-${sequence}`,
    },
    customers: [
      {
        title: 'M.',
        given_name: 'Basile',
        family_name: 'Roux',
        email: `basile.${sequence}@example.org`,
        mobile: '+33809685772',
        date_of_birth: '1968-04-04',
      },
    ],
    account_contracts: [businessContract(`SITE-${sequence}`)],
    ...overrides,
  };
}
