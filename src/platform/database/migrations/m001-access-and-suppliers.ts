import { Migration } from '@mikro-orm/migrations';

/** Who may call (organisations, keys, tokens), what operators set up (suppliers, teams), and the audit of their changes. */
export class M001AccessAndSuppliers extends Migration {
  override async up(): Promise<void> {
    this.addSuppliersAndTeams();
    this.addKeysAndTokens();
    this.addAudit();
  }

  private addSuppliersAndTeams(): void {
    this.addSql(`
      create table import_supplier (
        code text collate "C" primary key check (char_length(code) between 1 and 32),
        name text not null,
        status text not null default 'Ongoing' check (status in ('Ongoing', 'Paused', 'Complete')),
        document_root text,
        options jsonb not null default '{}' check (jsonb_typeof(options) = 'object'),
        options_revision integer not null default 1 check (options_revision > 0),
        reason text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`);
    this.addSql(`
      create table operations_team (
        name text collate "C" primary key check (char_length(name) between 1 and 255),
        created_at timestamptz not null default now()
      )`);
  }

  private addKeysAndTokens(): void {
    this.addSql(`
      create table organisation (
        id uuid primary key,
        name text collate "C" not null unique,
        created_at timestamptz not null default now()
      )`);
    // Only the hash of a secret is kept: who reads the database cannot call. Its first characters tell keys apart in a list.
    this.addSql(`
      create table api_key (
        id uuid primary key,
        organisation_id uuid not null references organisation (id),
        name text not null,
        role text not null check (role in ('supplier', 'operator')),
        secret_sha256 bytea not null unique check (octet_length(secret_sha256) = 32),
        secret_start text not null,
        created_at timestamptz not null default now(),
        revoked_at timestamptz
      )`);
    this.addSql('create index api_key_organisation on api_key (organisation_id)');
    this.addSql(`
      create table api_key_import_supplier (
        api_key_id uuid not null references api_key (id),
        import_supplier text collate "C" not null references import_supplier (code),
        primary key (api_key_id, import_supplier)
      )`);
    this.addSql(`
      create table access_token (
        sha256 bytea primary key check (octet_length(sha256) = 32),
        api_key_id uuid not null references api_key (id),
        kind text not null check (kind in ('access', 'refresh')),
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        revoked_at timestamptz
      )`);
    this.addSql('create index access_token_expiry on access_token (api_key_id, expires_at)');
  }

  private addAudit(): void {
    this.addSql(`
      create table audit_entry (
        id uuid primary key,
        at timestamptz not null default now(),
        actor_key_id uuid references api_key (id),
        actor_name text not null,
        action text not null,
        subject text collate "C" not null,
        before jsonb,
        after jsonb,
        reason text
      )`);
    this.addSql('create index audit_entry_newest on audit_entry (at, id)');
    this.addSql('create index audit_entry_subject on audit_entry (subject, at)');
  }
}
