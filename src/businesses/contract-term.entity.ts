import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ContractTermSchema = defineEntity({
  name: 'ContractTerm',
  tableName: 'contract_term',
  properties: {
    businessContractId: p.uuid().name('business_contract_id').primary(),
    versionPosition: p.integer().name('version_position').primary(),
    position: p.integer().name('position').primary(),
    termType: p.text().name('term_type'),
    content: p.json<Record<string, unknown>>().name('content'),
  },
});

/** A term of a version of a business contract; `content` is the term as sent. */
export class ContractTerm extends ContractTermSchema.class {}
ContractTermSchema.setClass(ContractTerm);
