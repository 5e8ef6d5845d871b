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

/** A holder of API keys: the integrator of a supplier, or the operations department. */
export class Organisation extends OrganisationSchema.class {}
OrganisationSchema.setClass(Organisation);

export type OrganisationTable = InferKyselyDB<typeof OrganisationSchema>;

const OperationsTeamSchema = defineEntity({
  name: 'OperationsTeam',
  tableName: 'operations_team',
  properties: { name: p.text().primary(), createdAt: p.datetime().defaultRaw('now()') },
});

/** A team that imported accounts are assigned to. */
export class OperationsTeam extends OperationsTeamSchema.class {}
OperationsTeamSchema.setClass(OperationsTeam);

export type OperationsTeamTable = InferKyselyDB<typeof OperationsTeamSchema>;
