import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const BusinessContractSchema = defineEntity({
  name: 'BusinessContract',
  tableName: 'business_contract',
  properties: {
    id: p.uuid().name('id').primary(),
    businessId: p.uuid().name('business_id'),
    importSupplier: p.text().name('import_supplier'),
    position: p.integer().name('position'),
    identifier: p.text().name('identifier'),
    validFromDate: p.date().name('valid_from_date'),
    signedAtDate: p.date().name('signed_at_date').nullable(),
    sentEmpty: p.array().name('sent_empty'),
    cameWithBusiness: p.boolean().name('came_with_business'),
    createdAt: p.datetime().name('created_at'),
  },
});

/** A contract of a business; `identifier` is the label that accounts name, once per import supplier. */
export class BusinessContract extends BusinessContractSchema.class {}
BusinessContractSchema.setClass(BusinessContract);
