import { domesticAccountExample, payloadRequest } from '../account-import/validate/account-payload.openapi.ts';
import { createBusinessOpenApi } from '../businesses/businesses.openapi.ts';
import { createNotesOpenApi } from '../notes/notes.openapi.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { createStatementsOpenApi } from '../statements/statements.openapi.ts';
import { createTransactionsOpenApi } from '../transactions/transactions.openapi.ts';

/*
 * The demo sends the examples of the OpenAPI document with the keys of its run. Their people and numbers are invented.
 */

/** Identifies an account; `number` is unique to the run. */
export const accountKey = (importSupplier: string, number: string) => ({
  import_supplier: importSupplier,
  external_account_number: number,
});

/** A domestic account with electricity and gas, and parts that the example does not have. */
export const sampleAccount = (importSupplier: string, number: string) => ({
  ...domesticAccountExample,
  ...accountKey(importSupplier, number),
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
export function sampleBusinessAccount(importSupplier: string, number: string, contractLabel: string) {
  const { business, ...account } = payloadRequest.requestExamples.business;
  return {
    ...account,
    ...accountKey(importSupplier, number),
    business: { ...business, business_contract_identifier: contractLabel },
  };
}

/** A business with one contract; accounts are linked to it by the label of the contract. */
export function sampleBusiness(importSupplier: string, number: string, contractLabel: string) {
  const { business } = exampleOf(createBusinessOpenApi) as { business: { business_contracts: object[] } };
  const [contract] = business.business_contracts;
  return {
    import_supplier_code: importSupplier,
    external_business_identifier: number,
    business: { ...business, business_contracts: [{ ...contract, identifier: contractLabel }] },
  };
}

/** Notes, transactions and a statement of the domestic account. */
export function sampleAttachments(importSupplier: string, number: string) {
  const key = accountKey(importSupplier, number);
  const { transactions } = exampleOf(createTransactionsOpenApi) as { transactions: object[] };
  const early = { ...transactions[0], transaction_id: 'PAY-79', transaction_date: '2026-08-02' };
  return {
    notes: { ...exampleOf(createNotesOpenApi), ...key },
    transactions: { ...key, transactions: [...transactions, early] },
    statements: { ...exampleOf(createStatementsOpenApi), ...key },
  };
}

/** Payment instructions whose references choose what the simulated vendors answer (docs/running/outside-parties.md). */
export function sampleInstructions(importSupplier: string, number: string) {
  const key = accountKey(importSupplier, number);
  return {
    mandate: { ...key, vendor: 'GOCARDLESS', reference: 'MD00DEMO0002', type: 'DIRECT_DEBIT' },
    busyCard: { ...key, vendor: 'STRIPE', reference: 'pm_BUSY-1_demo', type: 'CARD' },
    revoked: { ...key, vendor: 'SLIMPAY', reference: 'RUM-REVOKED-DEMO', type: 'DIRECT_DEBIT' },
    unknown: { ...key, vendor: 'ADYEN', reference: 'UNKNOWN-SHOPPER/CARD-1', type: 'CARD' },
  };
}

function exampleOf({ requestExamples = {} }: RouteOpenApi): object {
  return Object.values(requestExamples)[0] as object;
}
