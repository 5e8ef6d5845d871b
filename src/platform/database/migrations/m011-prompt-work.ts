import { Migration } from '@mikro-orm/migrations';

/** What somebody waits for, or has news to read, is found without a look at the switches that are due beside it. */
export class M011PromptWork extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      "create index unfinished_work_prompt on unfinished_work (start_at) where kind <> 'switch-supplier' or state = 'news'",
    );
  }
}
