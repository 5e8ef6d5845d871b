import { Migration } from '@mikro-orm/migrations';

/** What each organisation keeps by idempotency keys, counted by day (docs/decisions/0058-idempotency-keys.md). */
export class M058IdempotencyUseCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create table idempotency_use (
      organisation text collate "C" not null,
      day date not null,
      answers bigint not null,
      bytes bigint not null,
      primary key (organisation, day)
    ) with (fillfactor = 50)`);
  }
}
