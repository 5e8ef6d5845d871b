import { Migration } from '@mikro-orm/migrations';

/** Keys may end by themselves, allow less than their role, and tell their last use; tokens belong to a session with an end. */
export class M015ApiKeyScopeAndSessions extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table api_key
        add column scope text not null default 'all' constraint api_key_scope_check check (scope in ('all', 'read', 'market_messages')),
        add column expires_at timestamptz,
        add column last_used_at timestamptz,
        add constraint api_key_scope_of_operators check (scope = 'all' or role = 'operator')`);
    // A token from before is a session of its own, as old as itself.
    this.addSql(`
      alter table access_token
        add column session_id uuid not null default gen_random_uuid(),
        add column session_started_at timestamptz not null default now()`);
    this.addSql(
      "update access_token set session_started_at = created_at, expires_at = least(expires_at, created_at + interval '12 hours')",
    );
    this.addSql('create index access_token_session on access_token (session_id)');
  }
}
