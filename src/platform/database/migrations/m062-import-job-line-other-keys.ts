import { Migration } from '@mikro-orm/migrations';

/**
 * Lines that do not claim their key, by key: with `import_job_line_key` all lines of an account are found without reading those of
 * others. Lines without a key are found by it too.
 */
export class M062ImportJobLineOtherKeys extends Migration {
  override async up(): Promise<void> {
    this.addSql('create index import_job_line_other_key on import_job_line (key, job_id, line) where not claims_key');
  }
}
