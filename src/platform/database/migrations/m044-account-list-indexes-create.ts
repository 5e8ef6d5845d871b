import { Migration } from '@mikro-orm/migrations';

/**
 * By what accounts are listed. Creation writes the last two, once for each account and once for each agreement; the other two
 * only when an account is refused or marked. Days need none: ids tell when they were made.
 */
export class M044AccountListIndexesCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      'create index import_process_refused on import_process (import_supplier, external_account_number) where imported_at is null and refusal is not null',
    );
    this.addSql(
      'create index import_process_skipped on import_process (import_supplier, external_account_number) where imported_at is null and skipped_at is not null',
    );
    this.addSql(
      'create index account_switch_status on account ((switch_status collate "C"), import_supplier, external_account_number)',
    );
    this.addSql('create index agreement_of_tariff on agreement ((tariff_code collate "C"), account_id)');
  }
}
