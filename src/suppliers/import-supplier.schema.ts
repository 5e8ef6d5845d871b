import { Type, type Static } from 'typebox';
import {
  answeredText,
  nullableText,
  opaqueObject,
  requiredChoice,
  requiredInstant,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';
import { supplierStatuses } from '../vocabulary/supplier-status.ts';

/** Code of the supplier in the path. */
export const supplierCodeSchema = requiredText(32, 'no-control-characters');

/** Body of `PUT import-suppliers/<code>/`. Omitted members keep their value. */
export const putImportSupplierSchema = Type.Object({
  name: Type.Optional(requiredText(255, 'no-control-characters')),
  status: Type.Optional(requiredChoice(supplierStatuses)),
  document_root: Type.Optional(nullableText(1_024, 'no-control-characters')),
  options: Type.Optional(opaqueObject()),
  reason: Type.Optional(text(1_000)),
});

export type PutImportSupplier = Static<typeof putImportSupplierSchema>;

/** An import supplier as shown to operators. */
export const importSupplierView = Type.Object(
  {
    code: Type.String(),
    name: Type.String(),
    status: requiredChoice(supplierStatuses),
    document_root: answeredText(),
    options: opaqueObject(),
    options_revision: Type.Integer(),
    reason: answeredText(),
    created_at: requiredInstant(),
    updated_at: requiredInstant(),
  },
  { title: 'ImportSupplier' },
);
export type ImportSupplierView = Static<typeof importSupplierView>;
