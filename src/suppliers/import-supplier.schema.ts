import { Type, type Static } from 'typebox';
import {
  nullableText,
  opaqueObject,
  requiredChoice,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';
import { supplierStatuses, type SupplierStatus } from '../vocabulary/supplier-status.ts';

const REASON_LENGTH_MAX = 1_000;

/** The code in the path; it stands in every request of the supplier. */
export const supplierCodeSchema = Type.Object({ code: requiredText(32, 'no-control-characters') });

/** Body of `PUT import-suppliers/<code>/`: what is left out stays as it is. */
export const putImportSupplierSchema = Type.Object({
  name: Type.Optional(requiredText(255, 'no-control-characters')),
  status: Type.Optional(requiredChoice(supplierStatuses)),
  document_root: Type.Optional(nullableText(1_024, 'no-control-characters')),
  options: Type.Optional(opaqueObject()),
  reason: Type.Optional(text(REASON_LENGTH_MAX)),
});

export type PutImportSupplier = Static<typeof putImportSupplierSchema>;

/** An import supplier as operators see it. */
export interface ImportSupplierView {
  code: string;
  name: string;
  status: SupplierStatus;
  document_root: string | null;
  options: Readonly<Record<string, unknown>>;
  options_revision: number;
  reason: string | null;
  created_at: string;
  updated_at: string;
}
