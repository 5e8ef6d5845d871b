import { Migration } from '@mikro-orm/migrations';

/** Operators can open these value sets for a supplier, so the API validates them instead. */
export class M002OpenValueSets extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payment_schedule drop constraint payment_schedule_means_check');
    this.addSql('alter table payment_schedule drop constraint payment_schedule_frequency_check');
    this.addSql('alter table population_batch drop constraint population_batch_customer_category_check');
  }
}
