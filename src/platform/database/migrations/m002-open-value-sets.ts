import { Migration } from '@mikro-orm/migrations';

/** Drops the constraints of value sets that operators can open for a supplier; the API validates these values. */
export class M002OpenValueSets extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payment_schedule drop constraint payment_schedule_means_check');
    this.addSql('alter table payment_schedule drop constraint payment_schedule_frequency_check');
    this.addSql('alter table population_batch drop constraint population_batch_customer_category_check');
  }
}
