import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const PaymentScheduleSchema = defineEntity({
  name: 'PaymentSchedule',
  tableName: 'payment_schedule',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    pointPosition: p.integer().comment(KEPT),
    means: p.text().comment(KEPT),
    frequency: p.text().nullable().comment(KEPT),
    startDate: p.date().comment(KEPT),
    dayOfMonth: p.integer().nullable().comment(KEPT),
    amount: p.decimal('string').nullable().comment(KEPT),
  },
});

/** When and how much is collected; runs until the day before the next start on the same point. */
export class PaymentSchedule extends PaymentScheduleSchema.class {}
PaymentScheduleSchema.setClass(PaymentSchedule);
