import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const OrganisationSchema = defineEntity({
  name: 'Organisation',
  tableName: 'organisation',
  properties: {
    id: p.uuid().name('id').primary(),
    name: p.text().name('name'),
    customerAuthorisation: p.boolean().name('customer_authorisation').default(false),
    createdAt: p.datetime().name('created_at').defaultRaw('now()'),
  },
});

/** Whom keys are issued to: a supplier's integrator, or our own operations. */
export class Organisation extends OrganisationSchema.class {}
OrganisationSchema.setClass(Organisation);
