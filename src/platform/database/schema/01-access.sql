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

-- A person who is signed in to the support site; the cookie is stored as its hash.
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
  ends_at timestamptz not null,
  id uuid not null default gen_random_uuid() unique,
  signed_in_by text check (signed_in_by in ('key', 'openid-connect')),
  network text
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
  reason text
);
create index audit_entry_newest on audit_entry (at, id);
create index audit_entry_subject on audit_entry (subject, at);
create index audit_entry_actor on audit_entry (actor_name, at, id);
create index audit_entry_action on audit_entry (action, at, id);
