import { Migration } from '@mikro-orm/migrations';

/**
 * Statements that stage count what they add themselves (docs/decisions/0048-counts-by-appending.md): a trigger that is given the new
 * rows costs a single staging more than all else that counting takes. Rows of others are counted by a trigger of rows.
 */
export class M047ImportProcessCounted extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table import_process add column counted boolean not null default false');
    // Its first text; `migrate` applies the newest.
    this.addSql(`
      create or replace function count_staged_account() returns trigger language plpgsql as $$
      begin
        insert into account_count_change (import_supplier, state, change) values (new.import_supplier, 'known', 1);
        return null;
      end $$`);
    this.addSql(`
      create or replace trigger count_staged after insert on import_process
        for each row when (not new.counted) execute function count_staged_account()`);
    // The order is that of held_up_state, which is not called here: Postgres reads a function in a condition anew in each statement.
    this.addSql(`
      create or replace trigger count_held_up after update on import_process for each row
        when (${orderOfState('old')} <> ${orderOfState('new')}) execute function count_changed_account()`);
  }
}

const orderOfState = (row: 'old' | 'new') =>
  `case when ${row}.imported_at is not null then 0 when ${row}.skipped_at is not null then 1
    when ${row}.workflow_id is not null then 2 when ${row}.refusal is not null then 3 else 0 end`;
