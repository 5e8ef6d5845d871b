-- Bulk actions on stuck work (docs/decisions/0082-bulk-actions.md).

-- A change of all stuck work that matches a filter: its progress, and the number of items by outcome.
create table bulk_action (
  id uuid primary key,
  action text not null check (action in ('retry', 'retry_lookups', 'skip', 'cancel', 'dismiss', 'assign', 'decide')),
  filter jsonb not null,
  -- The decision about claims, and the supplier that messages are assigned to.
  parameters jsonb not null,
  requested_by text not null,
  reason text not null,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED')),
  -- Items at the start. Items that get stuck later are not included.
  matched integer not null check (matched >= 0),
  handled integer not null default 0 check (handled >= 0),
  outcomes jsonb not null default '{}'::jsonb,
  -- The last handled item of a source, and when the page after it was begun; attempts since then are not repeated.
  source integer not null default 0,
  since text,
  item text,
  page_began_at timestamptz,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  results_deleted_at timestamptz,
  check ((status in ('RUNNING', 'PAUSED')) = (ended_at is null)),
  check ((since is null) = (item is null))
) with (fillfactor = 50);
create index bulk_action_open on bulk_action (id) where ended_at is null;
create index bulk_action_results on bulk_action (ended_at) where results_deleted_at is null;

-- An item of a bulk action with its outcome, which is kept as long as the results of import jobs.
create table bulk_action_item (
  bulk_action_id uuid not null references bulk_action (id),
  position integer not null check (position > 0),
  item text collate "C" not null,
  import_supplier text collate "C",
  external_account_number text collate "C",
  outcome text not null check (outcome in ('done', 'in_progress', 'unchanged', 'gone', 'refused')),
  code text,
  handled_at timestamptz not null default now(),
  primary key (bulk_action_id, position)
);
create index bulk_action_item_of on bulk_action_item (item);
