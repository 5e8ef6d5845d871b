-- Organizations, keys, sessions and the audit.

-- A holder of API keys: the integrator of a supplier, or the operations department.
create table organisation (
  id uuid primary key,
  name text collate "C" not null unique,
  created_at timestamptz not null default now(),
  customer_authorisation boolean not null default false
);

-- A team to which imported accounts are assigned; operation 3 names it.
create table operations_team (
  name text collate "C" primary key check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now()
);

-- An API key of an organization. The secret is returned once and stored as its hash.
create table api_key (
  id uuid primary key,
  organisation_id uuid not null references organisation (id),
  name text not null,
  role text not null check (role in ('supplier', 'operator')),
  secret_sha256 bytea not null check (octet_length(secret_sha256) = 32) unique,
  secret_start text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  scope text not null default 'all' check (scope in ('all', 'approve', 'operate', 'read', 'market_messages')),
  expires_at timestamptz,
  last_used_at timestamptz,
  constraint api_key_scope_of_operators check (scope = 'all' or role = 'operator')
);
create index api_key_organisation on api_key (organisation_id);

-- An access or refresh token, stored as its hash. The first use of a refresh token revokes it. All tokens that derive from one use of a key
-- form a session.
create table access_token (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  api_key_id uuid not null references api_key (id),
  kind text not null check (kind in ('access', 'refresh')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  session_id uuid not null default gen_random_uuid(),
  session_started_at timestamptz not null default now()
);
create index access_token_expiry on access_token (api_key_id, expires_at);
create index access_token_session on access_token (session_id);

-- The number of attempts in a minute over all processes; `bucket` is a hash of what was attempted.
create unlogged table counted_attempt (
  bucket bytea primary key check (octet_length(bucket) = 32),
  count integer not null check (count >= 0),
  ends_at timestamptz not null
);
create index counted_attempt_end on counted_attempt (ends_at);

-- A person who is signed in to the support site; the cookie is stored as its hash. A person of import suppliers sees only what belongs to them.
create table person_session (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  subject text not null,
  name text not null,
  role text not null check (role in ('supplier', 'viewer', 'operator', 'administrator')),
  import_suppliers text[] check (cardinality(import_suppliers) > 0),
  api_key_id uuid references api_key (id),
  csrf_secret bytea not null check (octet_length(csrf_secret) = 32),
  flash jsonb,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  ends_at timestamptz not null,
  id uuid not null default gen_random_uuid() unique,
  signed_in_by text check (signed_in_by in ('key', 'openid-connect')),
  network text,
  constraint person_session_suppliers_of_role check ((role = 'supplier') = (import_suppliers is not null))
);
create index person_session_end on person_session (ends_at);

-- A change or read by an operator: actor, time, action, states before and after, and reason. Written in the transaction of the change. The
-- service's role can neither change nor delete it.
create table audit_entry (
  id uuid primary key,
  at timestamptz not null default now(),
  actor_key_id uuid references api_key (id),
  actor_name text not null,
  action text not null,
  subject text collate "C" not null,
  before jsonb,
  after jsonb,
  reason text,
  -- The writing transaction, by which the chain finds the entries that were committed since its last block.
  xid xid8 not null default pg_current_xact_id(),
  -- Part of the hash of the texts, so that the hash of an erased text cannot be guessed; erased with them.
  salt uuid default gen_random_uuid()
);
create index audit_entry_newest on audit_entry (at, id);
create index audit_entry_subject on audit_entry (subject, at);
create index audit_entry_actor on audit_entry (actor_name, at, id);
create index audit_entry_action on audit_entry (action, at, id);
-- Entries that change something: all but ROUTINE_ACTIONS of access/audit/audit-filter.rules.ts, of which there are far more.
create index audit_entry_changes on audit_entry (at, id) where action <> all ('{account.read,business.read,import_job.results_read,market_messages.received,operations.read,operations.searched,population_batch.accepted,reconciliation.values_read,site.read,supply_point.read,token.ended,token.issued,token.refused}'::text[]);
create index audit_entry_transaction on audit_entry (xid);

-- Audit entries that were committed since the previous block, chained by hash (docs/decisions/0081-audit-chain.md). The service's role can add
-- blocks, but neither change nor delete them.
create table audit_block (
  number bigint primary key,
  day date not null,
  sealed_at timestamptz not null,
  previous bytea not null check (octet_length(previous) = 32),
  entries integer not null check (entries > 0),
  ids uuid[] not null,
  first_id uuid not null,
  last_id uuid not null,
  digests bytea not null,
  hash bytea not null check (octet_length(hash) = 32),
  key_id text,
  signature bytea,
  check (entries = cardinality(ids) and octet_length(digests) = 64 * entries),
  check ((key_id is null) = (signature is null))
);
create index audit_block_last_entry on audit_block (last_id);

-- The blocks of a day, with the hash of the last one. Kept when the blocks are deleted because of their age.
create table audit_anchor (
  day date primary key,
  first_block bigint not null,
  last_block bigint not null,
  entries bigint not null,
  start_hash bytea not null check (octet_length(start_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  jws text,
  created_at timestamptz not null default now(),
  check (last_block >= first_block - 1)
);

-- The end of the chain; one row. Entries that are not visible in `snapshot` are in no block. While a long list of them is sealed, `pending` is
-- the snapshot with its end, and the other two columns its last entry in a block.
create table audit_chain (
  name text primary key check (name = 'audit'),
  number bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex') check (octet_length(hash) = 32),
  entries bigint not null default 0,
  sealed_at timestamptz,
  snapshot pg_snapshot not null default '1:1:',
  pending pg_snapshot,
  pending_xid xid8,
  pending_id uuid,
  -- The table that the transaction numbers belong to; another one after a dump was restored.
  origin text not null default ''
);

insert into audit_chain (name) values ('audit');

-- A comparison of the audit with its chain, and its progress.
create table audit_verification (
  id uuid primary key,
  started_by text not null,
  started_at timestamptz not null default now(),
  completed_at timestamptz,
  phase text not null default 'anchors' check (phase in ('anchors', 'blocks', 'entries')),
  position text not null default '',
  blocks bigint not null default 0,
  entries bigint not null default 0,
  unsigned_blocks bigint not null default 0,
  findings bigint not null default 0,
  examples jsonb not null default '[]'
);
create index audit_verification_started on audit_verification (started_at);
