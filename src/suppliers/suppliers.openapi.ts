import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, opaqueObject, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { supplierStatuses } from '../vocabulary/supplier-status.ts';
import { putImportSupplierSchema } from './import-supplier.schema.ts';

const supplierView = Type.Object(
  {
    code: Type.String(),
    name: Type.String(),
    status: requiredChoice(supplierStatuses),
    document_root: answeredText(),
    options: opaqueObject(),
    options_revision: Type.Integer(),
    reason: answeredText(),
    created_at: Type.String({ format: 'date-time', minLength: 1 }),
    updated_at: Type.String({ format: 'date-time', minLength: 1 }),
  },
  { title: 'ImportSupplier' },
);

const example = {
  code: 'SUPPLIER_FR',
  name: 'Boréal Énergie',
  status: 'Ongoing',
  document_root: 's3://imports/boreal',
  options: {},
  options_revision: 0,
  reason: null,
  created_at: '2026-11-02T09:00:00.000Z',
  updated_at: '2026-11-02T09:00:00.000Z',
};

const path = { code: { description: 'Code of the import supplier, as requests carry it.', example: 'SUPPLIER_FR' } };

/** What the code in the path of a registration can be refused for (supplierCodeSchema). */
const CODE_VIOLATIONS = [
  'blank',
  'max_length',
  'invalid',
  'null_characters_not_allowed',
  'surrogate_characters_not_allowed',
] as const;

/** `PUT import-suppliers/<code>/`. */
export const putImportSupplierOpenApi: RouteOpenApi = {
  operationId: 'putImportSupplier',
  tag: 'Operations',
  summary: 'Register an import supplier, or change it',
  description:
    'What is left out stays as it is. `Paused` and `Complete` stop what migrates something new; all else goes on. Option `closed_value_sets` closes describing sets of values (`{"sales_channel": ["DIRECT"]}`); option `open_value_sets` opens closed ones (`["term_type"]`) and needs a `reason`; option `null_means_absent: true` takes a null in a request for a member that was not sent; option `industry_switch: false` leaves accounts PENDING until a market message; `requests_per_second`, `staged_accounts_max` and `open_batches_max` are quotas (429 `throttled` beyond them; null takes one away); option `check_documents: true` has every document path looked up below `document_root` (`s3://bucket/prefix/` or `file:///folder/`).',
  path: { code: { ...path.code, violations: CODE_VIOLATIONS } },
  request: putImportSupplierSchema,
  rules: { reason: ['required'], document_root: ['invalid'], options: ['invalid'] },
  requestExamples: {
    register: { name: 'Boréal Énergie', status: 'Ongoing', document_root: 's3://imports/boreal' },
    pause: { status: 'Paused', reason: 'Wrong tariffs in the files of this week' },
  },
  replies: {
    200: { description: 'The supplier is changed.', schema: supplierView, example },
    201: { description: 'The supplier is registered.', schema: supplierView, example },
  },
  refusals: ['validation_failed'],
};

/** `GET import-suppliers/<code>/`. */
export const findImportSupplierOpenApi: RouteOpenApi = {
  operationId: 'findImportSupplier',
  tag: 'Operations',
  summary: 'See an import supplier',
  path,
  replies: { 200: { description: 'The supplier.', schema: supplierView, example } },
  refusals: ['not_found'],
};

/** `GET import-suppliers/`. */
export const listImportSuppliersOpenApi: RouteOpenApi = {
  operationId: 'listImportSuppliers',
  tag: 'Operations',
  summary: 'List the import suppliers',
  replies: { 200: { description: 'All suppliers, by code.', schema: Type.Array(supplierView), example: [example] } },
  refusals: [],
};
