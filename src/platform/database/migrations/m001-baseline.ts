import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Migration } from '@mikro-orm/migrations';

const SCHEMA = join(import.meta.dirname, '../schema');

/** The schema of the first release: the files in `src/platform/database/schema` in numerical order. */
export class M001Baseline extends Migration {
  override up(): void {
    for (const file of readdirSync(SCHEMA).sort()) this.addSql(readFileSync(join(SCHEMA, file), 'utf8'));
  }
}
