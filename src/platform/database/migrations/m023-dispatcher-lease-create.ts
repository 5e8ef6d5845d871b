import { Migration } from '@mikro-orm/migrations';

/** Which process starts due work, and until when it may: a lease that ends by itself, unlike the lock of a session. */
export class M023DispatcherLeaseCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table dispatcher_lease (
        name text primary key check (name in ('work-items')),
        fencing_number bigint not null default 0,
        holder text,
        held_since timestamptz,
        held_until timestamptz not null default now(),
        last_swept_at timestamptz
      )`);
    this.addSql(`insert into dispatcher_lease (name) values ('work-items')`);
  }
}
