import { Migration } from '@mikro-orm/migrations';

/** Whose slots are taken, and who was told that none is free: `take_creation_slot`, which migrate applies, shares slots by it. */
export class M039CreationSlotWaitCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table creation_slot add column import_supplier text collate "C"');
    this.addSql(`create table creation_slot_wait (
      import_supplier text collate "C" primary key,
      since timestamptz not null,
      asked_at timestamptz not null
    ) with (fillfactor = 50)`);
  }
}
