import { Migration } from '@mikro-orm/migrations';

/** Which text of each file of functions stands in the database. */
export class M031AppliedSqlFileCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create table applied_sql_file (
      path text primary key,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      applied_at timestamptz not null default now()
    )`);
  }
}
