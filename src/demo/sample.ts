import type { Demo } from './demo-client.ts';

/*
 * The demo sends the examples of the OpenAPI document with the keys of its run. Their people and numbers are invented.
 */

export const STAGE = 'POST data-import/account-import-process/create-or-update/';
export const ADD_BUSINESS = 'POST data-import/business/';
export const ADD_NOTES = 'POST data-import/notes/create/';
export const ADD_TRANSACTIONS = 'POST data-import/transactions/create/';
export const ADD_STATEMENTS = 'POST data-import/historical-statements/create/';

/** The members of an account that the demo reads. */
interface SampleAccount {
  billing_postcode: string;
  customers: object[];
  supply_addresses: { supply_points: { identifier: string }[] }[];
  business: object;
}

/** Identifies an account; `number` is unique to the run. */
const accountKey = ({ supplier }: Demo, number: string) => ({
  import_supplier: supplier,
  external_account_number: number,
});

/** A domestic account with electricity and gas, and parts that the example does not have. */
export const sampleAccount = (demo: Demo, number: string) => ({
  ...demo.example<SampleAccount>(STAGE, 'domestic'),
  ...accountKey(demo, number),
  supplementary_ledgers: [
    {
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
    },
  ],
  account_campaigns: [{ slug: 'autumn-switch', campaign_note: 'two months of standing charge free' }],
});

/** A business account that belongs to the business of a contract. */
export function sampleBusinessAccount(demo: Demo, number: string, contractLabel: string) {
  const { business, ...account } = demo.example<SampleAccount>(STAGE, 'business');
  return {
    ...account,
    ...accountKey(demo, number),
    business: { ...business, business_contract_identifier: contractLabel },
  };
}

/** A business with one contract; accounts are linked to it by the label of the contract. */
export function sampleBusiness(demo: Demo, number: string, contractLabel: string) {
  const { business } = demo.example<{ business: { business_contracts: object[] } }>(ADD_BUSINESS);
  const [contract] = business.business_contracts;
  return {
    import_supplier_code: demo.supplier,
    external_business_identifier: number,
    business: { ...business, business_contracts: [{ ...contract, identifier: contractLabel }] },
  };
}

/** Notes, transactions and a statement of the domestic account. */
export function sampleAttachments(demo: Demo, number: string) {
  const key = accountKey(demo, number);
  const { transactions } = demo.example<{ transactions: object[] }>(ADD_TRANSACTIONS);
  const early = { ...transactions[0], transaction_id: 'PAY-79', transaction_date: '2026-08-02' };
  return {
    notes: { ...demo.example(ADD_NOTES), ...key },
    transactions: { ...key, transactions: [...transactions, early] },
    statements: { ...demo.example(ADD_STATEMENTS), ...key },
  };
}

/** Payment instructions whose references choose what the simulated vendors answer (docs/running/outside-parties.md). */
export function sampleInstructions(demo: Demo, number: string) {
  const key = accountKey(demo, number);
  return {
    mandate: { ...key, vendor: 'GOCARDLESS', reference: 'MD00DEMO0002', type: 'DIRECT_DEBIT' },
    busyCard: { ...key, vendor: 'STRIPE', reference: 'pm_BUSY-1_demo', type: 'CARD' },
    revoked: { ...key, vendor: 'SLIMPAY', reference: 'RUM-REVOKED-DEMO', type: 'DIRECT_DEBIT' },
    unknown: { ...key, vendor: 'ADYEN', reference: 'UNKNOWN-SHOPPER/CARD-1', type: 'CARD' },
  };
}
