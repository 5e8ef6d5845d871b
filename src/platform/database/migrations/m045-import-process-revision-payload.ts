import { Migration } from '@mikro-orm/migrations';

/** What a later revision replaced, so that operators see the difference; keep_replaced_payload, which migrate applies, writes it. */
export class M045ImportProcessRevisionPayload extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table import_process_revision add column payload jsonb');
    // The function itself stands in a file beside the staging; a trigger needs it to be there.
    this.addSql(
      "create or replace function keep_replaced_payload() returns trigger language plpgsql as 'begin return null; end'",
    );
    this.addSql(`
      create trigger import_process_payload_replaced after update of payload on import_process
      for each row when (old.payload_hash <> new.payload_hash) execute function keep_replaced_payload()`);
  }
}
