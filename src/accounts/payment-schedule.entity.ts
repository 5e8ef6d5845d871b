import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PaymentScheduleSchema = defineEntity({
  name: 'PaymentSchedule',
  tableName: 'payment_schedule',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    pointPosition: p.integer().name('point_position'),
    means: p.text().name('means'),
    frequency: p.text().name('frequency').nullable(),
    startDate: p.date().name('start_date'),
    dayOfMonth: p.integer().name('day_of_month').nullable(),
    amount: p.decimal('string').name('amount').nullable(),
  },
});

/** When and how much is collected; runs until the day before the next start on the same point. */
export class PaymentSchedule extends PaymentScheduleSchema.class {}
PaymentScheduleSchema.setClass(PaymentSchedule);
