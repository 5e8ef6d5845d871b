import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AgreementSchema = defineEntity({
  name: 'Agreement',
  tableName: 'agreement',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    pointPosition: p.integer().name('point_position'),
    tariffCode: p.text().name('tariff_code'),
    agreedAt: p.datetime().name('agreed_at').nullable(),
    effectiveFrom: p.date().name('effective_from'),
    effectiveTo: p.date().name('effective_to').nullable(),
  },
});

/** A tariff agreed for a supply point; `effective_to` is exclusive. */
export class Agreement extends AgreementSchema.class {}
AgreementSchema.setClass(Agreement);
