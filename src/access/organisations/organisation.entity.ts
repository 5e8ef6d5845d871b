import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

/** A holder of API keys: the integrator of a supplier, or the operations department. */
export const Organisation = defineEntity({
  name: 'Organisation',
  tableName: 'organisation',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    customerAuthorisation: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
export type Organisation = InferEntity<typeof Organisation>;

export type OrganisationTable = InferKyselyDB<typeof Organisation>;

/** A team that imported accounts are assigned to. */
export const OperationsTeam = defineEntity({
  name: 'OperationsTeam',
  tableName: 'operations_team',
  properties: { name: p.text().primary(), createdAt: p.datetime().defaultRaw('now()') },
});
export type OperationsTeam = InferEntity<typeof OperationsTeam>;

export type OperationsTeamTable = InferKyselyDB<typeof OperationsTeam>;
