import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const NumberMarkSchema = defineEntity({
  name: 'NumberMark',
  tableName: 'number_mark',
  properties: {
    id: p.boolean().name('id').primary(),
    accountFrom: p.bigint().name('account_from'),
    accountUntil: p.bigint().name('account_until'),
    businessFrom: p.bigint().name('business_from'),
    businessUntil: p.bigint().name('business_until'),
    incarnation: p.text().name('incarnation').nullable(),
    reservedAt: p.datetime().name('reserved_at').defaultRaw('now()'),
  },
});

/** The numbers that this database may give, in one row. */
export class NumberMark extends NumberMarkSchema.class {}
NumberMarkSchema.setClass(NumberMark);
