import { Migration } from '@mikro-orm/migrations';

/** Staged accounts: one row per (import supplier, external number), and what every revision of it was. */
export class M002ImportProcesses extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table import_process (
        id uuid primary key,
        import_supplier text collate "C" not null references import_supplier (code),
        external_account_number text collate "C" not null check (char_length(external_account_number) between 1 and 128),
        payload jsonb not null,
        phone_numbers jsonb not null,
        payload_hash bytea not null,
        validated_with text not null,
        revision integer not null default 1 check (revision > 0),
        staged_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        imported_at timestamptz,
        skipped_at timestamptz,
        skip_reason text,
        refusal jsonb,
        workflow_id text,
        unique (import_supplier, external_account_number)
      )`);
    // Payloads of 4 KB go out of line either way; kept uncompressed they are read twenty times per creation without decompressing.
    this.addSql('alter table import_process alter column payload set storage external');
    this.addSql(
      'create index import_process_pending on import_process (import_supplier, external_account_number) where imported_at is null',
    );
    this.addSql(`
      create table import_process_revision (
        import_process_id uuid not null references import_process (id),
        revision integer not null,
        payload_hash bytea not null,
        staged_at timestamptz not null default now(),
        primary key (import_process_id, revision)
      )`);
    this.addSql(`
      create table unfinished_work (
        workflow_id text collate "C" primary key,
        kind text not null check (kind in ('create-account')),
        input jsonb not null,
        start_at timestamptz not null default now(),
        created_at timestamptz not null default now()
      )`);
    this.addSql('create index unfinished_work_due on unfinished_work (start_at)');
  }
}
