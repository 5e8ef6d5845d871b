import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const BusinessSchema = defineEntity({
  name: 'Business',
  tableName: 'business',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    serviceBusinessId: p.integer().comment(KEPT),
    importSupplier: p.text().comment(KEPT),
    externalBusinessIdentifier: p.text().comment(KEPT),
    companyName: p.text().comment(PERSONAL),
    businessType: p.text().nullable().comment(KEPT),
    siret: p.text().nullable().comment(KEPT),
    siretAsSent: p.text().nullable().comment(KEPT),
    sentEmpty: p.array().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
  },
});

/** A business of an import supplier; `siret` without the blanks and dots that `siretAsSent` may have. */
export class Business extends BusinessSchema.class {}
BusinessSchema.setClass(Business);

/** The table as Kysely knows it. */
export type BusinessTable = InferKyselyDB<typeof BusinessSchema>;
