import { Migration } from '@mikro-orm/migrations';

/** By what people are looked for: everything else that a search takes had its index already. */
export class M035SearchIndexesCreate extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      `create index customer_name on customer ((lower(family_name) collate "C"), (lower(given_name) collate "C")) where family_name is not null`,
    );
    this.addSql('create index customer_email on customer ((lower(email) collate "C")) where email is not null');
    this.addSql('create index customer_mobile on customer (mobile_e164) where mobile_e164 is not null');
    this.addSql('create index customer_landline on customer (landline_e164) where landline_e164 is not null');
  }
}
