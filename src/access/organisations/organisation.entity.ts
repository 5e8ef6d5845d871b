import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const OrganisationSchema = defineEntity({
  name: 'Organisation',
  tableName: 'organisation',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    customerAuthorisation: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** Whom keys are issued to: a supplier's integrator, or our own operations. */
export class Organisation extends OrganisationSchema.class {}
OrganisationSchema.setClass(Organisation);

/** The table as Kysely knows it. */
export type OrganisationTable = InferKyselyDB<typeof OrganisationSchema>;
