import { Migration } from '@mikro-orm/migrations';

/** The time at which something was completed has one name in all tables; the text of `complete_look_ups`, which migrate applies, has it too. */
export class M032CompletedAtRenames extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table look_up rename column settled_at to completed_at');
    this.addSql('alter table payment_verification rename column settled_at to completed_at');
  }
}
