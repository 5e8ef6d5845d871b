import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const OperationsTeamSchema = defineEntity({
  name: 'OperationsTeam',
  tableName: 'operations_team',
  properties: { name: p.text().primary(), createdAt: p.datetime().defaultRaw('now()') },
});

/** A team that imported accounts are given to; requests name it. */
export class OperationsTeam extends OperationsTeamSchema.class {}
OperationsTeamSchema.setClass(OperationsTeam);
