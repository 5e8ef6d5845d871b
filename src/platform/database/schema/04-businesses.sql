-- Businesses and their contracts.

-- The next business id, within the range of number_mark.
create sequence business_id_sequence as integer;

-- A business of an import supplier. `siret` is `siret_as_sent` without blanks and dots.
create table business (
  id uuid primary key,
  service_business_id integer not null default next_business_id() unique,
  import_supplier text collate "C" not null references import_supplier (code),
  external_business_identifier text collate "C" not null check (char_length(external_business_identifier) between 1 and 128),
  company_name text not null,
  business_type text,
  siret text check (siret ~ '^[0-9]{14}$'),
  siret_as_sent text,
  sent_empty text[] not null,
  created_at timestamptz not null default now(),
  unique (import_supplier, external_business_identifier),
  unique (id, import_supplier),
  check ((siret is null) = (siret_as_sent is null))
);
create index business_name on business using gin (name_words(company_name));

-- A key and value of a business.
create table business_detail (
  business_id uuid not null references business (id),
  position integer not null check (position >= 0),
  key text not null,
  value text not null,
  primary key (business_id, position),
  unique (business_id, key)
);

-- A contract of a business. Accounts refer to its `identifier`, which is unique per import supplier.
create table business_contract (
  id uuid primary key,
  business_id uuid not null,
  import_supplier text collate "C" not null,
  position integer not null check (position >= 0),
  identifier text collate "C" not null check (char_length(identifier) between 1 and 128),
  valid_from_date date not null,
  signed_at_date date,
  sent_empty text[] not null,
  came_with_business boolean not null,
  created_at timestamptz not null default now(),
  unique (import_supplier, identifier),
  unique (business_id, position),
  unique (id, import_supplier),
  foreign key (business_id, import_supplier) references business (id, import_supplier)
);

-- A version of a business contract.
create table contract_version (
  business_contract_id uuid not null references business_contract (id),
  position integer not null check (position >= 0),
  applicable_at_date date not null,
  primary key (business_contract_id, position),
  unique (business_contract_id, applicable_at_date)
);

-- A term of a contract version; `content` is the term as sent.
create table contract_term (
  business_contract_id uuid not null,
  version_position integer not null,
  position integer not null check (position >= 0),
  term_type text not null,
  content jsonb not null check (jsonb_typeof(content) = 'object'),
  primary key (business_contract_id, version_position, position),
  foreign key (business_contract_id, version_position) references contract_version (business_contract_id, position),
  check ((content ->> 'term_type') = term_type)
);
