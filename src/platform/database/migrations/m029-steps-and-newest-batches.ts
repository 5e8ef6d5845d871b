import { Migration } from '@mikro-orm/migrations';

/** Lets late steps of a switch be told apart, and the newest batches of an organisation be found. */
export class M029StepsAndNewestBatches extends Migration {
  override async up(): Promise<void> {
    for (const statement of [STEP_SCHEDULED, NEWEST_BATCHES]) this.addSql(statement);
  }
}

/**
 * When the last step of a switch was scheduled, by the clock of Temporal. What a worker writes that was frozen meanwhile
 * belongs to an earlier step and is told apart by it.
 */
const STEP_SCHEDULED = 'alter table unfinished_work add column step_scheduled_at timestamptz';

/** Ids of batches are in the order of their time. */
const NEWEST_BATCHES = 'create index population_batch_newest on population_batch (organisation_id, id)';
