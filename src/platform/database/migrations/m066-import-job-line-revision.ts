import { Migration } from '@mikro-orm/migrations';

/** What a line staged, by which is told at the creation that somebody has staged other data since. Null where a line stages nothing. */
export class M066ImportJobLineRevision extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table import_job_line add column revision integer');
  }
}
