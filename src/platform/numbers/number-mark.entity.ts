import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

/** The numbers that this database may issue, in one row. */
export const NumberMark = defineEntity({
  name: 'NumberMark',
  tableName: 'number_mark',
  properties: {
    id: p.boolean().primary(),
    accountFrom: p.bigint('string'),
    accountUntil: p.bigint('string'),
    businessFrom: p.bigint('string'),
    businessUntil: p.bigint('string'),
    incarnation: p.text().nullable(),
    reservedAt: p.datetime().defaultRaw('now()'),
  },
});

export type NumberMarkTable = InferKyselyDB<typeof NumberMark>;
