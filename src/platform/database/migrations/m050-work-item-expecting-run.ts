import { Migration } from '@mikro-orm/migrations';

/**
 * By what a check against Temporal reads, page after page: work that should have a run, which a switch that waits for its
 * day has not, and accounts that are quarantined. Creations write neither.
 */
export class M050WorkItemExpectingRun extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      "create index work_item_expecting_run on work_item (workflow_id) where kind <> 'switch-supplier' or step_scheduled_at is not null",
    );
    this.addSql(
      'create index import_process_quarantined on import_process (import_supplier, external_account_number) where workflow_id is not null',
    );
  }
}
