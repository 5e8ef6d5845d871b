import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const SupplyAddressSchema = defineEntity({
  name: 'SupplyAddress',
  tableName: 'supply_address',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    supplyAddress1: p.text().nullable(),
    supplyAddress2: p.text().nullable(),
    supplyAddress3: p.text().nullable(),
    supplyAddress4: p.text().nullable(),
    supplyPostcode: p.text().nullable(),
    customerAtSupplyAddressFromDate: p.date(),
  },
});

/** A place that an account is supplied at. */
export class SupplyAddress extends SupplyAddressSchema.class {}
SupplyAddressSchema.setClass(SupplyAddress);
