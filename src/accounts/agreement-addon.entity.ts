import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AgreementAddonSchema = defineEntity({
  name: 'AgreementAddon',
  tableName: 'agreement_addon',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    agreementPosition: p.integer().comment(KEPT),
    band: p.text().comment(KEPT),
  },
});

/** An add-on of an agreement. */
export class AgreementAddon extends AgreementAddonSchema.class {}
AgreementAddonSchema.setClass(AgreementAddon);
