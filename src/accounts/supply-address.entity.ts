import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const SupplyAddressSchema = defineEntity({
  name: 'SupplyAddress',
  tableName: 'supply_address',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    supplyAddress1: p.text().name('supply_address1').nullable(),
    supplyAddress2: p.text().name('supply_address2').nullable(),
    supplyAddress3: p.text().name('supply_address3').nullable(),
    supplyAddress4: p.text().name('supply_address4').nullable(),
    supplyPostcode: p.text().name('supply_postcode').nullable(),
    customerAtSupplyAddressFromDate: p.date().name('customer_at_supply_address_from_date'),
  },
});

/** A place that an account is supplied at. */
export class SupplyAddress extends SupplyAddressSchema.class {}
SupplyAddressSchema.setClass(SupplyAddress);
