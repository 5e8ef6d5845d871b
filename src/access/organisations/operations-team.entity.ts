import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const OperationsTeamSchema = defineEntity({
  name: 'OperationsTeam',
  tableName: 'operations_team',
  properties: { name: p.text().primary(), createdAt: p.datetime().defaultRaw('now()') },
});

/** A team that imported accounts are given to; requests name it. */
export class OperationsTeam extends OperationsTeamSchema.class {}
OperationsTeamSchema.setClass(OperationsTeam);

/** The table as Kysely knows it. */
export type OperationsTeamTable = InferKyselyDB<typeof OperationsTeamSchema>;
