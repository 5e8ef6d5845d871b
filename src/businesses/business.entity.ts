import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const BusinessSchema = defineEntity({
  name: 'Business',
  tableName: 'business',
  properties: {
    id: p.uuid().name('id').primary(),
    serviceBusinessId: p.integer().name('service_business_id'),
    importSupplier: p.text().name('import_supplier'),
    externalBusinessIdentifier: p.text().name('external_business_identifier'),
    companyName: p.text().name('company_name'),
    businessType: p.text().name('business_type').nullable(),
    siret: p.text().name('siret').nullable(),
    siretAsSent: p.text().name('siret_as_sent').nullable(),
    sentEmpty: p.array().name('sent_empty'),
    createdAt: p.datetime().name('created_at'),
  },
});

/** A business of an import supplier; `siret` without the blanks and dots that `siretAsSent` may have. */
export class Business extends BusinessSchema.class {}
BusinessSchema.setClass(Business);
