import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const SupplyAddressSchema = defineEntity({
  name: 'SupplyAddress',
  tableName: 'supply_address',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    supplyAddress1: p.text().nullable().comment(PERSONAL),
    supplyAddress2: p.text().nullable().comment(PERSONAL),
    supplyAddress3: p.text().nullable().comment(PERSONAL),
    supplyAddress4: p.text().nullable().comment(PERSONAL),
    supplyPostcode: p.text().nullable().comment(KEPT),
    customerAtSupplyAddressFromDate: p.date().comment(KEPT),
  },
});

/** A place that an account is supplied at. */
export class SupplyAddress extends SupplyAddressSchema.class {}
SupplyAddressSchema.setClass(SupplyAddress);
