-- Returns why a staged account cannot be created normally: 'skipped', 'being_created' (quarantined) or 'refused'; otherwise null.
create or replace function held_up_state(imported_at timestamptz, skipped_at timestamptz, workflow_id text, refusal jsonb) returns text language sql immutable as $$
  select case
    when imported_at is not null then null
    when skipped_at is not null then 'skipped'
    when workflow_id is not null then 'being_created'
    when refusal is not null then 'refused' end
$$;
