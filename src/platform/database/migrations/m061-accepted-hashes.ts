import { Migration } from '@mikro-orm/migrations';

/**
 * Hashes of what was accepted: keyed ones stay when retention deletes a payload (docs/decisions/0056-retention.md), and a historical
 * statement that comes later has those of its values beside it (docs/decisions/0060-vendor-checks-and-hashes.md).
 */
export class M061AcceptedHashes extends Migration {
  override async up(): Promise<void> {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  'create table field_hash_layout (id integer generated always as identity primary key, layout text not null unique)',
  `alter table import_process
    add column field_hashes bytea,
    add column field_hash_layout_id integer`,
  'alter table statement add column accepted_hashes bytea',
];
