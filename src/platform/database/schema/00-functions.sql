-- Functions that defaults, triggers and indexes use. When the tables exist, `migrate` replaces each with the file next to the code that
-- uses it (src/processes/sql-files.ts).

create function account_number(serial bigint) returns text language plpgsql immutable strict as 'begin return null; end';
create function count_changed_account() returns trigger language plpgsql as 'begin return null; end';
create function count_deleted_accounts() returns trigger language plpgsql as 'begin return null; end';
create function count_new_accounts() returns trigger language plpgsql as 'begin return null; end';
create function count_staged_account() returns trigger language plpgsql as 'begin return null; end';
create function fold_name(name text) returns text language plpgsql immutable strict parallel safe as 'begin return null; end';
create function keep_replaced_payload() returns trigger language plpgsql as 'begin return null; end';
create function name_words(name text) returns tsvector language plpgsql immutable strict parallel safe as 'begin return null; end';
create function next_account_serial() returns bigint language plpgsql as 'begin return null; end';
create function next_business_id() returns integer language plpgsql as 'begin return null; end';
create function notify_ended_batch() returns trigger language plpgsql as 'begin return null; end';

-- The partitions of tables that have one for each month (docs/decisions/0078-partitions.md). Only their owner uses them by name.
create schema by_month;
