import { recordAudit } from '../access/index.ts';
import { defineResource } from '../platform/http/resource-routes.ts';
import {
  importSupplierView,
  putImportSupplierSchema,
  supplierCodeSchema,
  type PutImportSupplier,
} from './import-supplier.schema.ts';
import { changeImportSupplier, findAllImportSuppliers, findSupplierByCode } from './supplier-directory.store.ts';
import { findSupplierViolations } from './supplier-options.rules.ts';

/** `import-suppliers/<code>/`: registers a supplier or changes the given members. Other processes see the change within a second. */
export const importSuppliers = defineResource<typeof importSupplierView, PutImportSupplier>({
  name: 'ImportSupplier',
  path: 'import-suppliers',
  key: {
    name: 'code',
    schema: supplierCodeSchema,
    description: 'Code of the import supplier, as sent in requests.',
    example: 'SUPPLIER_FR',
  },
  unknown: 'There is no import supplier with this code.',
  view: importSupplierView,
  put: {
    summary: 'Register an import supplier, or change it',
    description:
      'Omitted members are not changed. `Paused` and `Complete` suppliers cannot stage or create accounts; other operations work. Options: `closed_value_sets` closes sets of descriptive values (`{"sales_channel": ["DIRECT"]}`); `open_value_sets` opens closed sets (`["term_type"]`) and needs a `reason`; `null_means_absent: true` treats null in a request as absent; `industry_switch: false` requests no switches, so accounts stay PENDING until a market message arrives; `requests_per_second`, `staged_accounts_max` and `open_batches_max` are quotas (429 `throttled` above them; null removes one); `creation_requires_approval: true` creates accounts only in approved waves; `check_documents: true` looks up every document path below `document_root` (`s3://bucket/prefix/` or `file:///folder/`).',
    action: 'import-supplier.change',
    body: putImportSupplierSchema,
    bodyLimitBytes: 65_536,
    rules: findSupplierViolations,
    ruleCodes: { reason: ['required'], document_root: ['invalid'], options: ['invalid'] },
    examples: {
      register: { name: 'Boréal Énergie', status: 'Ongoing', document_root: 's3://imports/boreal' },
      pause: { status: 'Paused', reason: 'Wrong tariffs in the files of this week' },
    },
    changed: 'The supplier is changed.',
    created: 'The supplier is registered.',
  },
  find: { summary: 'Read an import supplier', reply: 'The supplier.' },
  list: { summary: 'List the import suppliers', reply: 'All suppliers, by code.' },
  auditNoun: 'import_supplier',
  recordAudit,
  one: findSupplierByCode,
  all: findAllImportSuppliers,
  change: changeImportSupplier,
});
