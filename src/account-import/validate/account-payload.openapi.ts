import type { FieldRules } from '../../platform/http/route-openapi.ts';
import { accountDescribingPaths } from '../../vocabulary/value-sets.ts';
import { accountPayloadSchema } from '../../accounts/account-payload.schema.ts';

/** Codes that the cross-field rules (account-payload.rules.ts and the files that it calls) report for each field. */
const accountFieldRules: FieldRules = {
  '': ['max_depth'],
  import_supplier: ['invalid_choice'],
  business: ['required', 'business_fields_provided_for_domestic_accounts', 'business_field_required'],
  'business.siret': ['invalid_siret'],
  'business.business_contract_identifier': ['business_contract_not_found'],
  'business.details.*.key': ['children_with_duplicate_values'],
  'business.details.*.value': ['siren_mismatch'],
  'business.details': ['too_many_rows'],
  customers: ['required', 'empty', 'customer_with_unknown_occupier', 'too_many_rows'],
  'customers.*.given_name': ['customer_given_name_required'],
  'customers.*.family_name': ['customer_family_name_required'],
  'customers.*.mobile': ['invalid_phone_number'],
  'customers.*.landline': ['invalid_phone_number'],
  'customers.*.date_of_birth': ['date_in_future'],
  supply_addresses: ['occupier_account_with_multiple_supply_addresses', 'too_many_rows'],
  'supply_addresses.*': ['duplicate_supply_addresses_found'],
  'supply_addresses.*.supply_points.*.identifier': [
    'invalid_prm',
    'invalid_pce',
    'duplicate_meter_points_on_different_supply_addresses_provided',
  ],
  'supply_addresses.*.supply_points.*.agreements.*.effective_from': ['gaps_or_overlaps_in_agreement_dates'],
  'supply_addresses.*.supply_points.*.agreements.*.effective_to': [
    'start_date_later_than_end_date',
    'start_date_same_as_end_date',
  ],
  'supply_addresses.*.supply_points.*.payment_schedules.*.amount': ['zero_payment_schedule_amount', 'min_value'],
  'supply_addresses.*.supply_points.*.payment_schedules.*.start_date': ['payment_schedule_date_overlaps'],
  'supply_addresses.*.supply_points.*.consent_data.ELEC_CURVES': ['invalid'],
  'supply_addresses.*.supply_points.*.consent_data.ELEC_INDEXES': ['invalid'],
  'supply_addresses.*.supply_points.*.consent_data.GAS_INDEXES': ['invalid'],
  ...Object.fromEntries(
    ['statements', 'supplementary_ledgers', 'notes', 'account_campaigns', 'metadata', 'payment_preferences'].map(
      (list) => [list, ['too_many_rows' as const]],
    ),
  ),
  'statements.*.bill_period_to_date': ['start_date_later_than_end_date', 'date_too_far_ahead'],
  last_billed_to_date: ['date_too_far_ahead'],
  'statements.*.statement_id': ['unique'],
  'statements.*.statement_path': ['path_does_not_exist_in_file_store'],
  'supplementary_ledgers.*.ledger_code': ['duplicate_ledger_entries_found'],
  'supplementary_ledgers.*.energy_cheques.*.number': ['unique'],
  'supplementary_ledgers.*.energy_cheques.*.protection_to': ['start_date_later_than_end_date'],
  'notes.*': ['note_body_or_document_path_not_found'],
  'notes.*.document_paths.*.document_path': ['path_does_not_exist_in_file_store'],
  'account_campaigns.*.slug': ['duplicate_account_campaigns'],
  'metadata.*.key': ['metadata_has_duplicate_keys'],
  account_contracts: ['business_fields_provided_for_domestic_accounts', 'too_many_rows'],
  'account_contracts.*.identifier': ['duplicate_contract_identifiers'],
  'account_contracts.*.versions': ['contract_versions_does_not_include_current'],
  'account_contracts.*.versions.*.applicable_at_date': ['unique'],
  'payment_preferences.*.supply_point_identifier': ['supply_point_not_found', 'unique'],
  'payment_preferences.*.instruction_reference_params': ['required', 'fields_are_mutually_exclusive'],
  'payment_preferences.*.instruction_reference_params.vendor_reference': [
    'active_new_payment_preference_invalid_instruction_identifier',
  ],
};

/** A household with electricity and gas. */
export const domesticAccountExample = {
  external_account_number: 'HOME-00004711',
  import_supplier: 'SUPPLIER_FR',
  billing_address1: '8 quai des Brumes',
  billing_address2: '',
  billing_address3: 'Nantes',
  billing_postcode: '44000',
  sales_channel: 'DIRECT',
  last_billed_to_date: '2026-08-31',
  customers: [
    {
      title: 'Mme',
      given_name: 'Aline',
      family_name: 'Exemple',
      email: 'aline.exemple@example.org',
      mobile: '06 12 34 56 78',
      landline: '',
      date_of_birth: '1987-04-19',
      customer_preferences: {
        opted_into_updates: true,
        opted_into_sms: false,
        opted_into_offers: false,
        opted_into_recommended: true,
      },
    },
  ],
  supply_addresses: [
    {
      supply_address1: '8 quai des Brumes',
      supply_postcode: '44000',
      customer_at_supply_address_from_date: '2021-05-01',
      supply_points: [
        {
          identifier: '25014987360042',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2026-12-15',
          billing_frequency: 1,
          agreements: [
            {
              tariff_code: 'ELEC-BASE-2026',
              agreed_at: '2026-10-30T16:04:11+01:00',
              effective_from: '2026-12-15',
              addons: [{ band: 'GREEN' }],
            },
          ],
          payment_schedules: [
            { means: 'DD', frequency: 'MONTHLY', start_date: '2026-12-15', day_of_month: 15, amount: 61.4 },
          ],
          payment_instructions: [
            { vendor: 'GOCARDLESS', reference: 'MD0001', type: 'DIRECT_DEBIT', valid_from: '2026-12-15' },
          ],
          consent_data: { ELEC_CURVES: true, ELEC_INDEXES: true },
        },
        {
          identifier: '03628810476215',
          supply_type: 'GAS',
          supply_start_date: '2026-12-15',
          consent_data: { GAS_INDEXES: false },
        },
      ],
    },
  ],
  statements: [
    {
      bill_period_from_date: '2026-08-01',
      bill_period_to_date: '2026-08-31',
      statement_id: 'BILL-2026-08',
      statement_path: 'statements/2026/08/bill.pdf',
    },
  ],
  notes: [{ created_at: '2026-07-14T09:30:00Z', body: 'Moved to online statements.' }],
  metadata: [{ key: 'source-system', value: { id: 77_120_431, tags: ['paperless'] } }],
  payment_preferences: [
    {
      type: 'ACTIVE_NEW',
      supply_point_identifier: '25014987360042',
      instruction_reference_params: { vendor_name: 'GOCARDLESS', vendor_reference: 'MD0001' },
    },
    { type: 'PASSIVE', supply_point_identifier: '03628810476215' },
  ],
};

/** A business that refers to its contract. */
const businessAccountExample = {
  external_account_number: 'FIRM-00000042',
  import_supplier: 'SUPPLIER_FR',
  account_type: 'BUSINESS',
  business: {
    business_type: 'EURL',
    siret: '60487647400494',
    details: [{ key: 'siren', value: '604876474' }],
    business_contract_identifier: 'FRAME-7',
  },
  billing_address1: '2 place du Four',
  billing_postcode: '56000',
  customers: [
    { given_name: 'Yann', family_name: 'Exemple', email: 'comptes@example.org', mobile: '+33 6 98 76 54 32' },
  ],
  supply_addresses: [
    {
      supply_address1: '2 place du Four',
      supply_postcode: '56000',
      customer_at_supply_address_from_date: '2018-03-01',
      supply_points: [
        {
          identifier: '25098112340077',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2026-12-01',
          agreements: [{ tariff_code: 'PRO-C5', effective_from: '2026-12-01' }],
        },
      ],
    },
  ],
};

/** The request of the operations that accept an account payload. */
export const payloadRequest = {
  request: accountPayloadSchema,
  rules: accountFieldRules,
  describingPaths: accountDescribingPaths,
  requestExamples: { domestic: domesticAccountExample, business: businessAccountExample },
};
