import { Migration } from '@mikro-orm/migrations';

/** The trace of whoever asked for the work, so that its run stands in it although another process starts it. Null while traces are off. */
export class M065WorkItemTrace extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table work_item add column traceparent text');
  }
}
