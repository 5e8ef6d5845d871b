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
    code: Type.String({ examples: ['SUPPLIER_FR'] }),
    name: Type.String({ examples: ['Boréal Énergie'] }),
    status: requiredChoice(supplierStatuses, { examples: ['Ongoing'] }),
    document_root: answeredText({ examples: ['s3://imports/boreal'] }),
    options: opaqueObject({ examples: [{}] }),
    options_revision: Type.Integer({ examples: [0] }),
    reason: answeredText(),
    created_at: requiredInstant({ examples: ['2026-11-02T09:00:00.000Z'] }),
    updated_at: requiredInstant({ examples: ['2026-11-02T09:00:00.000Z'] }),
  },
  { title: 'ImportSupplier' },
);
export type ImportSupplierView = Static<typeof importSupplierView>;
