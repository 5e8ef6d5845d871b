import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const BusinessContractSchema = defineEntity({
  name: 'BusinessContract',
  tableName: 'business_contract',
  properties: {
    id: p.uuid().primary(),
    businessId: p.uuid(),
    importSupplier: p.text(),
    position: p.integer(),
    identifier: p.text(),
    validFromDate: p.date(),
    signedAtDate: p.date().nullable(),
    sentEmpty: p.array(),
    cameWithBusiness: p.boolean(),
    createdAt: p.datetime(),
  },
});

/** A contract of a business; `identifier` is the label that accounts name, once per import supplier. */
export class BusinessContract extends BusinessContractSchema.class {}
BusinessContractSchema.setClass(BusinessContract);
