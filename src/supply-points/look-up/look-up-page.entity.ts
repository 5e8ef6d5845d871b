import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const LookUpPageSchema = defineEntity({
  name: 'LookUpPage',
  tableName: 'look_up_page',
  properties: {
    id: p.uuid().primary(),
    networkOperator: p.text(),
    lookUpIds: p.array().columnType('bigint[]'),
    heldBy: p.uuid(),
    takenAt: p.datetime(),
  },
});

/** A page of look-ups under way. */
export class LookUpPage extends LookUpPageSchema.class {}
LookUpPageSchema.setClass(LookUpPage);
