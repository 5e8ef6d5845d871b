import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AgreementAddonSchema = defineEntity({
  name: 'AgreementAddon',
  tableName: 'agreement_addon',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    agreementPosition: p.integer().name('agreement_position'),
    band: p.text().name('band'),
  },
});

/** An add-on of an agreement. */
export class AgreementAddon extends AgreementAddonSchema.class {}
AgreementAddonSchema.setClass(AgreementAddon);
