import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const FieldHashLayoutSchema = defineEntity({
  name: 'FieldHashLayout',
  tableName: 'field_hash_layout',
  properties: { id: p.integer().primary(), layout: p.text() },
});

/** The lists and fields, in whose order hashes of payloads are kept; one for each form that payloads have had. */
export class FieldHashLayout extends FieldHashLayoutSchema.class {}
FieldHashLayoutSchema.setClass(FieldHashLayout);
