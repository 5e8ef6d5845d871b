import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const LookUpPageSchema = defineEntity({
  name: 'LookUpPage',
  tableName: 'look_up_page',
  properties: {
    id: p.uuid().name('id').primary(),
    networkOperator: p.text().name('network_operator'),
    lookUpIds: p.array().name('look_up_ids').columnType('bigint[]'),
    heldBy: p.uuid().name('held_by'),
    takenAt: p.datetime().name('taken_at'),
  },
});

/** A page of look-ups under way. */
export class LookUpPage extends LookUpPageSchema.class {}
LookUpPageSchema.setClass(LookUpPage);
