import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AgreementSchema = defineEntity({
  name: 'Agreement',
  tableName: 'agreement',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    pointPosition: p.integer(),
    tariffCode: p.text(),
    agreedAt: p.datetime().nullable(),
    effectiveFrom: p.date(),
    effectiveTo: p.date().nullable(),
  },
});

/** A tariff agreed for a supply point; `effective_to` is exclusive. */
export class Agreement extends AgreementSchema.class {}
AgreementSchema.setClass(Agreement);
