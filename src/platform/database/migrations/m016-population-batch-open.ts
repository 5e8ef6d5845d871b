import { Migration } from '@mikro-orm/migrations';

/** Open batches are counted for each new one of a supplier with a quota; those that have ended are not read for it. */
export class M016PopulationBatchOpen extends Migration {
  override async up(): Promise<void> {
    this.addSql("create index population_batch_open on population_batch (id) where status = 'IN_PROGRESS'");
  }
}
