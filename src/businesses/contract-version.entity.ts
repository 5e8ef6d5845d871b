import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ContractVersionSchema = defineEntity({
  name: 'ContractVersion',
  tableName: 'contract_version',
  properties: {
    businessContractId: p.uuid().name('business_contract_id').primary(),
    position: p.integer().name('position').primary(),
    applicableAtDate: p.date().name('applicable_at_date'),
  },
});

/** A version of a business contract. */
export class ContractVersion extends ContractVersionSchema.class {}
ContractVersionSchema.setClass(ContractVersion);
