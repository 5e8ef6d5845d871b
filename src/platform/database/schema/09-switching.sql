-- Industry switches and market messages.

-- A request to the industry switch for one point; one per round.
create table switch_request (
  request_id uuid primary key,
  account_id uuid not null,
  point_position integer not null,
  round integer not null check (round > 0),
  requested_at timestamptz not null default clock_timestamp(),
  answered_at timestamptz,
  answer text check (answer in ('ACCEPTED', 'RECEIVED', 'REJECTED')),
  unique (account_id, point_position, round),
  foreign key (account_id, point_position) references account_supply_point (account_id, position),
  check ((answer is null) = (answered_at is null))
);

-- An event of a switch, and its effect.
create table market_message (
  message_id text collate "C" primary key,
  source text not null check (source in ('message', 'answer', 'hand')),
  import_supplier text collate "C" not null,
  external_account_number text collate "C" not null,
  supply_point_identifier text collate "C",
  outcome text check (outcome in ('ACCEPTED', 'REJECTED', 'COMPLETED')),
  status text check (status in ('PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED')),
  occurred_at timestamptz not null,
  reason text,
  received_at timestamptz not null default clock_timestamp(),
  effect text not null default 'waiting' check (effect in ('waiting', 'moved', 'changed-nothing', 'fits-nothing', 'unknown-account', 'unknown-point', 'dismissed')),
  effect_detail text,
  effect_at timestamptz,
  check (((source = 'hand') = (status is not null)) and ((status is null) = (outcome is not null)))
);
create index market_message_of_account on market_message (import_supplier, external_account_number);
create index market_message_unmatched on market_message (effect, received_at, message_id) where effect in ('fits-nothing', 'unknown-account', 'unknown-point', 'dismissed');
create index market_message_unmatched_of_supplier on market_message (import_supplier, effect, received_at, message_id) where effect in ('fits-nothing', 'unknown-account', 'unknown-point');

-- A change of the state of a point, and the event that caused it.
create table switch_change (
  account_id uuid not null,
  position integer not null check (position >= 0),
  point_position integer not null,
  status_before text not null check (status_before in ('PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED')),
  status_after text not null check (status_after in ('PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED')),
  message_id text collate "C" not null references market_message (message_id),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (account_id, position),
  foreign key (account_id, point_position) references account_supply_point (account_id, position)
);
