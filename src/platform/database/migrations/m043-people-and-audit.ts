import { Migration } from '@mikro-orm/migrations';

/** Sessions of people can be told apart and ended, keys may have the scope `operate`, and the audit is asked by who and by what. */
export class M043PeopleAndAudit extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table person_session
        add column id uuid not null default gen_random_uuid() unique,
        add column signed_in_by text check (signed_in_by in ('key', 'openid-connect')),
        add column network text`);
    this.addSql(`
      alter table api_key
        drop constraint api_key_scope_check,
        add constraint api_key_scope_check check (scope in ('all', 'operate', 'read', 'market_messages'))`);
    this.addSql('create index audit_entry_actor on audit_entry (actor_name, at, id)');
    this.addSql('create index audit_entry_action on audit_entry (action, at, id)');
  }
}
