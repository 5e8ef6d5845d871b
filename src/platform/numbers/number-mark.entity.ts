import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const NumberMarkSchema = defineEntity({
  name: 'NumberMark',
  tableName: 'number_mark',
  properties: {
    id: p.boolean().primary(),
    accountFrom: p.bigint(),
    accountUntil: p.bigint(),
    businessFrom: p.bigint(),
    businessUntil: p.bigint(),
    incarnation: p.text().nullable(),
    reservedAt: p.datetime().defaultRaw('now()'),
  },
});

/** The numbers that this database may issue, in one row. */
export class NumberMark extends NumberMarkSchema.class {}
NumberMarkSchema.setClass(NumberMark);
