import { Migration } from '@mikro-orm/migrations';

/** People who are signed in to the support site. */
export class M034PersonSessionCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table person_session (
        sha256 bytea primary key check (octet_length(sha256) = 32),
        subject text not null,
        name text not null,
        role text not null check (role in ('viewer', 'operator', 'administrator')),
        api_key_id uuid references api_key (id),
        csrf_secret bytea not null check (octet_length(csrf_secret) = 32),
        flash jsonb,
        created_at timestamptz not null default now(),
        last_seen_at timestamptz not null default now(),
        ends_at timestamptz not null
      )`);
    this.addSql('create index person_session_end on person_session (ends_at)');
  }
}
