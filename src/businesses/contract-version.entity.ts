import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ContractVersionSchema = defineEntity({
  name: 'ContractVersion',
  tableName: 'contract_version',
  properties: { businessContractId: p.uuid().primary(), position: p.integer().primary(), applicableAtDate: p.date() },
});

/** A version of a business contract. */
export class ContractVersion extends ContractVersionSchema.class {}
ContractVersionSchema.setClass(ContractVersion);
