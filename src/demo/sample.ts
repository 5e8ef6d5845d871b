/**
 * The sample that the demo sends: invented people at invented numbers, one domestic account with electricity and gas,
 * and one business account, with every part that operation 2 knows.
 */

/** A domestic account; `number` is unique to the run. */
export function sampleDomesticAccount(importSupplier: string, number: string) {
  const prm = '25014987360042';
  const pce = '03628810476215';
  return {
    external_account_number: number,
    import_supplier: importSupplier,
    billing_address1: '8 quai des Brumes',
    billing_address2: 'Appartement 14',
    billing_address3: 'Nantes',
    billing_address4: '',
    billing_postcode: '44000',
    sales_channel: 'DIRECT',
    last_billed_to_date: '2026-08-31',
    customers: [sampleCustomer()],
    supply_addresses: [sampleSupplyAddress(prm, pce)],
    statements: [
      {
        bill_period_from_date: '2026-08-01',
        bill_period_to_date: '2026-08-31',
        statement_path: 'statements/2026/08/bill.pdf',
        statement_id: 'BILL-2026-08',
      },
    ],
    supplementary_ledgers: [sampleLedger()],
    notes: [
      {
        created_at: '2026-07-14T09:30:00Z',
        body: 'Moved from paper to online statements at her wish.',
        document_paths: [{ document_path: 'letters/2026/07/paperless.pdf' }],
      },
    ],
    account_campaigns: [{ slug: 'autumn-switch', campaign_note: 'two months of standing charge free' }],
    metadata: [{ key: 'source-system', value: { id: 77_120_431, shard: 'west', tags: ['paperless'] } }],
    payment_preferences: [
      {
        type: 'ACTIVE_NEW',
        supply_point_identifier: prm,
        instruction_reference_params: { vendor_name: 'GOCARDLESS', vendor_reference: 'MD00DEMO0001' },
      },
      { type: 'PASSIVE', supply_point_identifier: pce },
    ],
  };
}

function sampleCustomer() {
  return {
    title: 'Mme',
    given_name: 'Maëlle',
    family_name: 'Le Goff',
    email: 'maelle.legoff@example.org',
    mobile: '06 12 34 56 78',
    landline: '',
    date_of_birth: '1987-04-19',
    deceased: '',
    customer_preferences: {
      opted_into_updates: true,
      opted_into_sms: false,
      opted_into_offers: false,
      opted_into_recommended: true,
    },
  };
}

function sampleSupplyAddress(prm: string, pce: string) {
  return {
    supply_address1: '8 quai des Brumes',
    supply_address2: 'Appartement 14',
    supply_address3: 'Nantes',
    supply_address4: '',
    supply_postcode: '44000',
    customer_at_supply_address_from_date: '2021-05-01',
    supply_points: [sampleElectricityPoint(prm), sampleGasPoint(pce)],
  };
}

/** A ledger of energy cheques, which the state gives to households of small means. */
function sampleLedger() {
  return {
    ledger_code: 'CHEQUE_ENERGIE',
    energy_cheques: [
      {
        number: '447120098311',
        amount: 20000,
        protection_from: '2026-04-01',
        protection_to: '2027-03-31',
        source: 'PAPERLESS',
        asp_remittance_ref: 'ASP-26-0417',
        valid_to: '2027-03-31',
        status: 'VALID',
      },
    ],
  };
}

function sampleElectricityPoint(identifier: string) {
  return {
    identifier,
    supply_type: 'ELECTRICITY',
    supply_start_date: '2026-12-15',
    billing_frequency: 1,
    payment_schedules: [
      { means: 'DD', frequency: 'MONTHLY', start_date: '2026-12-15', day_of_month: 15, amount: 61.4 },
    ],
    payment_instructions: [
      { vendor: 'GOCARDLESS', reference: 'MD00DEMO0001', type: 'DIRECT_DEBIT', valid_from: '2026-12-15' },
    ],
    agreements: [
      {
        tariff_code: 'ELEC-BASE-2026',
        agreed_at: '2026-10-30T16:04:11+01:00',
        effective_from: '2026-12-15',
        addons: [{ band: 'GREEN' }],
      },
    ],
    consent_data: { ELEC_CURVES: true, ELEC_INDEXES: true },
  };
}

function sampleGasPoint(identifier: string) {
  return {
    identifier,
    supply_type: 'GAS',
    supply_start_date: '2026-12-15',
    billing_frequency: 1,
    agreements: [
      {
        tariff_code: 'GAS-FIX-12',
        agreed_at: '2026-10-30T16:04:11+01:00',
        effective_from: '2026-12-15',
        effective_to: '2027-12-15',
      },
      { tariff_code: 'GAS-VAR', effective_from: '2027-12-15' },
    ],
    consent_data: { GAS_INDEXES: false },
  };
}

/** A bakery with one contract; accounts are linked to it by the contract's label. */
export function sampleBusiness(importSupplier: string, number: string, label: string) {
  return {
    import_supplier_code: importSupplier,
    external_business_identifier: number,
    business: {
      business_type: 'EURL',
      company_name: 'Le Fournil de Vannes',
      siret: '604 876 474 00494',
      details: [{ key: 'trade', value: 'bakery' }],
      business_contracts: [sampleContract(label)],
    },
  };
}

/** A business contract with some of the nine term types. */
export function sampleContract(label: string) {
  return {
    identifier: label,
    valid_from_date: '2026-12-01',
    signed_at_date: '2026-10-02',
    versions: [
      {
        applicable_at_date: '2026-12-01',
        terms: [
          { term_type: 'PAYS_BY_DIRECT_DEBIT', pays_by_direct_debit: true },
          {
            term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
            schedules: [
              {
                effective_from: '2026-12-01',
                items: [{ price_per_unit: '0.14230', rate_band: 'CONSUMPTION_STANDARD', product_code: 'PRO-C5' }],
              },
            ],
          },
          {
            term_type: 'ISSUANCE_FREQUENCY',
            frequency: 'MONTHLY',
            multiplier: 1,
            period_start_day: 1,
            period_start_month: 1,
          },
          { term_type: 'GUARANTEE_OF_ORIGIN_CONFIGURATION', guarantee_of_origin_percentage: 100 },
        ],
      },
    ],
  };
}

/** A business account that belongs to the business of a contract. */
export function sampleBusinessAccount(importSupplier: string, number: string, contractLabel: string) {
  return {
    external_account_number: number,
    import_supplier: importSupplier,
    account_type: 'BUSINESS',
    business: { business_type: 'EURL', siret: '604 876 474 00494', business_contract_identifier: contractLabel },
    billing_address1: '2 place du Four',
    billing_address2: '',
    billing_postcode: '56000',
    customers: [
      {
        given_name: 'Yann',
        family_name: 'Kervella',
        email: 'comptes@fournil.example.org',
        mobile: '+33 6 98 76 54 32',
      },
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
}

/** Notes, transactions and a statement of the domestic account. */
export function sampleAttachments(importSupplier: string, number: string) {
  const account = { import_supplier: importSupplier, external_account_number: number };
  return {
    notes: {
      ...account,
      notes: [
        { body: 'Prefers to be called after six.', is_pinned: true, unpin_at: '2027-06-30T00:00:00Z' },
        { created_at: '2026-09-03T08:12:00+02:00', document_paths: [{ document_path: 'letters/2026/09/index.pdf' }] },
      ],
    },
    transactions: {
      ...account,
      transactions: [
        {
          transaction_id: 'T-1',
          transaction_date: '2026-09-10',
          amount: 12.5,
          type: 'CHARGE',
          reason: 'IMPORTED_CHARGE',
          display_note: 'Meter reading on site',
        },
        {
          transaction_id: 'T-2',
          transaction_date: '2026-09-15',
          amount: '40.00',
          type: 'PAYMENT',
          reason: 'ACCOUNT_CHARGE_PAYMENT',
          payment_type: 'DEBIT_CARD',
          reference: 'CB 15/09',
        },
        {
          transaction_id: 'T-3',
          transaction_date: '2026-08-02',
          amount: 5,
          type: 'CREDIT',
          reason: 'GENERAL_CREDIT',
          display_note: 'Goodwill, before the last bill',
        },
      ],
    },
    statements: {
      ...account,
      statements: [
        {
          bill_period_from_date: '2026-07-01',
          bill_period_to_date: '2026-07-31',
          statement_id: 'BILL-2026-07',
          issued_date: '2026-08-03',
          number: 'F-2026-0731',
          gross_amount: 58.9,
        },
      ],
    },
  };
}

/** Payment instructions whose references choose what the simulated vendors answer (docs/running/outside-parties.md). */
export function sampleInstructions(importSupplier: string, number: string) {
  const account = { import_supplier: importSupplier, external_account_number: number };
  return {
    mandate: { ...account, vendor: 'GOCARDLESS', reference: 'MD00DEMO0002', type: 'DIRECT_DEBIT' },
    busyCard: { ...account, vendor: 'STRIPE', reference: 'pm_BUSY-1_demo', type: 'CARD' },
    revoked: { ...account, vendor: 'SLIMPAY', reference: 'RUM-REVOKED-DEMO', type: 'DIRECT_DEBIT' },
    unknown: { ...account, vendor: 'ADYEN', reference: 'UNKNOWN-SHOPPER/CARD-1', type: 'CARD' },
  };
}
