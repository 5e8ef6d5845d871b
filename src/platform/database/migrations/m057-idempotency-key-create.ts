import { Migration } from '@mikro-orm/migrations';

/** Answers by the key that a client has given its request (docs/decisions/0058-idempotency-keys.md). */
export class M057IdempotencyKeyCreate extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...KEY, ...RETENTION]) this.addSql(statement);
  }
}

/**
 * A row without a status is a claim: whoever holds it works on the request until `claimed_until`. Room is left in each page for the answer,
 * so that no index is written a second time.
 */
const KEY = [
  `create table idempotency_key (
    organisation text collate "C" not null,
    key_hash bytea not null,
    request_hash bytea not null,
    once_id uuid not null,
    claim uuid,
    claimed_until timestamptz,
    import_supplier text collate "C",
    external_account_number text collate "C",
    status smallint,
    headers jsonb,
    answer text,
    created_at timestamptz not null default now(),
    primary key (organisation, key_hash),
    check ((status is null) = (answer is null)),
    check ((status is null) = (claim is not null)),
    check ((claim is null) = (claimed_until is null))
  ) with (fillfactor = 60)`,
  'create index idempotency_key_created_at on idempotency_key (created_at)',
  `create index idempotency_key_account on idempotency_key (import_supplier, external_account_number)
    where external_account_number is not null`,
];

const RETENTION = [
  'alter table retention drop constraint retention_class_check',
  `alter table retention add constraint retention_class_check check (class in ('created_payload', 'never_created', 'audit', 'idempotency_key'))`,
  `insert into retention (class) values ('idempotency_key')`,
];
