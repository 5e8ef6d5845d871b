import { Migration } from '@mikro-orm/migrations';

/** Payment vendors are asked, and what they say otherwise is a difference (docs/decisions/0060-vendor-checks-and-hashes.md). */
export class M060ReconciliationDifferenceVendorAnswer extends Migration {
  override async up(): Promise<void> {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

/** `vendor_answer` is a code of ours or of the vendor's published list. By the index the questions of a day are counted. */
const STATEMENTS = [
  `alter table reconciliation_difference
    add column vendor_answer text,
    drop constraint reconciliation_difference_subject_check,
    add constraint reconciliation_difference_subject_check check (subject in ('account', 'business', 'payment_instruction'))`,
  'create index reconciliation_of_supplier on reconciliation (import_supplier, ended_at)',
];
