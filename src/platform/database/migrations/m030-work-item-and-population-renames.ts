import { Migration } from '@mikro-orm/migrations';

/** Tables, columns and states get the names that the code has for them; so does the text of `complete_look_ups`, which migrate applies. */
export class M030WorkItemAndPopulationRenames extends Migration {
  override async up(): Promise<void> {
    const statements = [...TABLES, ...COLUMNS, ...STATES, RENAME_OBJECTS];
    for (const statement of statements) this.addSql(statement);
  }
}

const TABLES = [
  'alter table unfinished_work rename to work_item',
  'alter table population_part rename to population_chunk',
  'alter table population_share rename to population_operator_progress',
];

const COLUMNS = [
  'alter table population_chunk rename column part to chunk',
  'alter table look_up rename column set_aside_at to deferred_at',
];

/** An index whose condition names a state is made anew. */
const STATES = [
  'alter table work_item drop constraint unfinished_work_state_check',
  'drop index unfinished_work_prompt',
  `update work_item set state = 'signalled' where state = 'news'`,
  `alter table work_item add constraint work_item_state_check check (state in ('signalled', 'unreachable', 'silent'))`,
  `create index work_item_priority on work_item (start_at) where kind <> 'switch-supplier' or state = 'signalled'`,
  'alter table look_up drop constraint look_up_state_check',
  `update look_up set state = 'deferred' where state = 'set-aside'`,
  `alter table look_up add constraint look_up_state_check check (state in ('pending', 'deferred', 'imported', 'errored'))`,
  'alter table population_request drop constraint population_request_state_check',
  `update population_request set state = 'deferred' where state = 'set-aside'`,
  `alter table population_request add constraint population_request_state_check check (state in ('pending', 'deferred', 'imported', 'errored'))`,
  'alter table market_message drop constraint market_message_effect_check',
  `update market_message set effect = 'dismissed' where effect = 'set-aside'`,
  `alter table market_message add constraint market_message_effect_check
    check (effect in ('waiting', 'moved', 'changed-nothing', 'fits-nothing', 'unknown-account', 'unknown-point', 'dismissed'))`,
  'alter index market_message_stray rename to market_message_unmatched',
];

/** Keys, checks and indexes that carry the old name of their table or column; those of NOT NULL have names from Postgres 18 on. */
const RENAME_OBJECTS = `
  do $$
  declare
    renamed record;
    one record;
  begin
    for renamed in select * from (values ('work_item', 'unfinished_work', 'work_item'), ('population_chunk', 'population_part', 'population_chunk'),
      ('population_chunk', 'population_chunk_part', 'population_chunk_chunk'), ('population_operator_progress', 'population_share', 'population_operator_progress'),
      ('look_up', 'look_up_set_aside_at', 'look_up_deferred_at')) as r (of_table, before, after) loop
      for one in select conname as name from pg_constraint where conrelid = renamed.of_table::regclass and starts_with(conname, renamed.before || '_') loop
        execute format('alter table %I rename constraint %I to %I', renamed.of_table, one.name, renamed.after || substr(one.name, length(renamed.before) + 1));
      end loop;
      for one in select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
        where x.indrelid = renamed.of_table::regclass and starts_with(i.relname, renamed.before || '_') loop
        execute format('alter index %I rename to %I', one.name, renamed.after || substr(one.name, length(renamed.before) + 1));
      end loop;
    end loop;
  end $$`;
