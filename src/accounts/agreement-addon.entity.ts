import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AgreementAddonSchema = defineEntity({
  name: 'AgreementAddon',
  tableName: 'agreement_addon',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    agreementPosition: p.integer(),
    band: p.text(),
  },
});

/** An add-on of an agreement. */
export class AgreementAddon extends AgreementAddonSchema.class {}
AgreementAddonSchema.setClass(AgreementAddon);
