import { Migration } from '@mikro-orm/migrations';

const IS_UNMATCHED = "effect in ('fits-nothing', 'unknown-account', 'unknown-point')";

/**
 * Lists that operators narrow down and page through by key: messages that match nothing, by kind and by import supplier; batches of supply points
 * that were cancelled, and those of an import supplier; identifiers that are asked for again later.
 */
export class M042UnmatchedAndBatchLists extends Migration {
  override async up(): Promise<void> {
    this.addSql('drop index market_message_unmatched');
    this.addSql(
      `create index market_message_unmatched on market_message (effect, received_at, message_id) where ${IS_UNMATCHED}`,
    );
    this.addSql(
      `create index market_message_unmatched_of_supplier on market_message (import_supplier, effect, received_at, message_id) where ${IS_UNMATCHED}`,
    );
    this.addSql("create index population_batch_cancelled on population_batch (id) where status = 'CANCELLED'");
    this.addSql(
      'create index population_batch_of_import_supplier on population_batch_import_supplier (import_supplier, batch_id)',
    );
    this.addSql('drop index look_up_due');
    this.addSql('create index look_up_due on look_up (network_operator, due_at, id) where due_at is not null');
  }
}
