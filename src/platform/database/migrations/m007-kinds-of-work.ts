import { Migration } from '@mikro-orm/migrations';

/** What a committed state can owe besides creations: verifications, look-ups and switches. */
export class M007KindsOfWork extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table unfinished_work drop constraint unfinished_work_kind_check');
    this.addSql(`
      alter table unfinished_work add constraint unfinished_work_kind_check
        check (kind in ('create-account', 'verify-payment-instruction', 'populate-supply-points', 'look-up-supply-points', 'switch-supplier'))`);
  }
}
