import { Migration } from '@mikro-orm/migrations';

/**
 * Attempts to obtain a token, counted over all processes. A bucket is the hash of what is counted, so that no address
 * stands in the table. Unlogged: a count lives a minute, and one that is lost in a crash starts anew.
 */
export class M014CountedAttemptCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create unlogged table counted_attempt (
        bucket bytea primary key check (octet_length(bucket) = 32),
        count integer not null check (count >= 0),
        ends_at timestamptz not null
      )`);
    this.addSql('create index counted_attempt_end on counted_attempt (ends_at)');
  }
}
