import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ContractTermSchema = defineEntity({
  name: 'ContractTerm',
  tableName: 'contract_term',
  properties: {
    businessContractId: p.uuid().primary(),
    versionPosition: p.integer().primary(),
    position: p.integer().primary(),
    termType: p.text(),
    content: p.json<Record<string, unknown>>(),
  },
});

/** A term of a version of a business contract; `content` is the term as sent. */
export class ContractTerm extends ContractTermSchema.class {}
ContractTermSchema.setClass(ContractTerm);
