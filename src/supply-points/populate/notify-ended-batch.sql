-- Writes an event for each import supplier of a batch that has ended.
create or replace function notify_ended_batch() returns trigger language plpgsql as $$
begin
  insert into event_outbox (import_supplier, organisation, type, subject, data)
    select i.import_supplier, (select o.name from organisation o where o.id = new.organisation_id),
      'batch.' || lower(new.status) || '.v1', 'batches/' || new.id, jsonb_build_object('batch_id', new.id)
    from population_batch_import_supplier i where i.batch_id = new.id order by 1;
  return null;
end $$;
