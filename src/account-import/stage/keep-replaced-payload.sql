-- Keeps the replaced payload of each revision, and deletes those older than ten revisions, so that a supplier that stages every night does
-- not fill the disk.
create or replace function keep_replaced_payload() returns trigger language plpgsql as $$
begin
  update import_process_revision set payload = old.payload where import_process_id = old.id and revision = old.revision;
  if old.revision > 10 then
    update import_process_revision set payload = null where import_process_id = old.id and revision <= old.revision - 10 and payload is not null;
  end if;
  return null;
end $$;
