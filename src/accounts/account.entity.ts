import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.uuid().name('id').primary(),
    number: p.text().name('number'),
    creationId: p.uuid().name('creation_id'),
    importProcessId: p.uuid().name('import_process_id'),
    importSupplier: p.text().name('import_supplier'),
    externalAccountNumber: p.text().name('external_account_number'),
    operationsTeam: p.text().name('operations_team'),
    accountType: p.text().name('account_type'),
    unknownOccupier: p.boolean().name('unknown_occupier'),
    businessType: p.text().name('business_type').nullable(),
    siret: p.text().name('siret').nullable(),
    businessContractIdentifier: p.text().name('business_contract_identifier').nullable(),
    businessContractId: p.uuid().name('business_contract_id').nullable(),
    billingAddress1: p.text().name('billing_address1').nullable(),
    billingAddress2: p.text().name('billing_address2').nullable(),
    billingAddress3: p.text().name('billing_address3').nullable(),
    billingAddress4: p.text().name('billing_address4').nullable(),
    billingPostcode: p.text().name('billing_postcode').nullable(),
    salesChannel: p.text().name('sales_channel').nullable(),
    salesSubchannel: p.text().name('sales_subchannel').nullable(),
    lastBilledToDate: p.date().name('last_billed_to_date').nullable(),
    switchStatus: p.text().name('switch_status'),
    createdAt: p.datetime().name('created_at'),
  },
});

/** An account of the platform, created from one import process. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);
