import { defineEntity, p } from '@mikro-orm/core';

/** The lists and fields, in the order of the stored hashes of payloads. One row for each version of the form. */
export const FieldHashLayout = defineEntity({
  name: 'FieldHashLayout',
  tableName: 'field_hash_layout',
  properties: { id: p.integer().primary(), layout: p.text() },
});
