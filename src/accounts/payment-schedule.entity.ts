import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PaymentScheduleSchema = defineEntity({
  name: 'PaymentSchedule',
  tableName: 'payment_schedule',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    pointPosition: p.integer(),
    means: p.text(),
    frequency: p.text().nullable(),
    startDate: p.date(),
    dayOfMonth: p.integer().nullable(),
    amount: p.decimal('string').nullable(),
  },
});

/** When and how much is collected; runs until the day before the next start on the same point. */
export class PaymentSchedule extends PaymentScheduleSchema.class {}
PaymentScheduleSchema.setClass(PaymentSchedule);
