import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AgreementSchema = defineEntity({
  name: 'Agreement',
  tableName: 'agreement',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    pointPosition: p.integer().comment(KEPT),
    tariffCode: p.text().comment(KEPT),
    agreedAt: p.datetime().nullable().comment(KEPT),
    effectiveFrom: p.date().comment(KEPT),
    effectiveTo: p.date().nullable().comment(KEPT),
  },
});

/** A tariff agreed for a supply point; `effective_to` is exclusive. */
export class Agreement extends AgreementSchema.class {}
AgreementSchema.setClass(Agreement);
