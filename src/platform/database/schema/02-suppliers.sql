-- Import suppliers and the keys that may act for them.

-- A supplier whose customers migrate to the platform, with its status and options.
create table import_supplier (
  code text collate "C" primary key check (char_length(code) between 1 and 32),
  name text not null,
  status text not null default 'Ongoing' check (status in ('Ongoing', 'Paused', 'Complete')),
  document_root text,
  options jsonb not null default '{}'::jsonb check (jsonb_typeof(options) = 'object'),
  options_revision integer not null default 1 check (options_revision > 0),
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- An import supplier whose data a key may read and change.
create table api_key_import_supplier (
  api_key_id uuid not null references api_key (id),
  import_supplier text collate "C" not null references import_supplier (code),
  primary key (api_key_id, import_supplier)
);
