-- When large tables whose rows change are vacuumed: after 2 % of their rows. With the default of 20 %, a table of ten million rows collects
-- two million dead ones first. Rows of other large tables are only added and deleted. The partitions of import_job_line have the setting of
-- its default partition.
alter table import_process set (autovacuum_vacuum_scale_factor = 0.02);
alter table account set (autovacuum_vacuum_scale_factor = 0.02);
alter table account_supply_point set (autovacuum_vacuum_scale_factor = 0.02);
alter table market_message set (autovacuum_vacuum_scale_factor = 0.02);
alter table switch_request set (autovacuum_vacuum_scale_factor = 0.02);
alter table supply_point set (autovacuum_vacuum_scale_factor = 0.02);
alter table look_up set (autovacuum_vacuum_scale_factor = 0.02);
alter table population_request set (autovacuum_vacuum_scale_factor = 0.02);
alter table work_item set (autovacuum_vacuum_scale_factor = 0.02);
