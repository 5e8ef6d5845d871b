import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const BusinessSchema = defineEntity({
  name: 'Business',
  tableName: 'business',
  properties: {
    id: p.uuid().primary(),
    serviceBusinessId: p.integer(),
    importSupplier: p.text(),
    externalBusinessIdentifier: p.text(),
    companyName: p.text(),
    businessType: p.text().nullable(),
    siret: p.text().nullable(),
    siretAsSent: p.text().nullable(),
    sentEmpty: p.array(),
    createdAt: p.datetime(),
  },
});

/** A business of an import supplier; `siret` without the blanks and dots that `siretAsSent` may have. */
export class Business extends BusinessSchema.class {}
BusinessSchema.setClass(Business);

/** The table as Kysely knows it. */
export type BusinessTable = InferKyselyDB<typeof BusinessSchema>;
