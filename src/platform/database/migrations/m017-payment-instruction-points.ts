import { Migration } from '@mikro-orm/migrations';

/**
 * Instructions of a supply point beside those of the account as a whole; who asked for a verification, which limits them
 * per key; where else an instruction is in force; and payment vendors that are given a rest.
 */
export class M017PaymentInstructionPoints extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table payment_verification
        add column point_position integer,
        add column api_key_id uuid references api_key (id),
        add constraint payment_verification_point foreign key (account_id, point_position) references account_supply_point (account_id, position)`);
    this.addSql('create index payment_verification_of_key on payment_verification (api_key_id, requested_at)');
    this.addSql(
      "create index payment_verification_refused_of_key on payment_verification (api_key_id, settled_at) where outcome = 'rejected'",
    );
    this.addSql('drop index payment_instruction_in_force');
    // One in force per type for each point, and one for the account as a whole.
    this.addSql(
      'create unique index payment_instruction_in_force on payment_instruction (account_id, type, coalesce(point_position, -1)) where verified_at is not null and replaced_at is null',
    );
    // By a hash of eight bytes: a reference may have 512 characters, and creations write many.
    this.addSql(
      'create index payment_instruction_of_reference on payment_instruction (hashtextextended(reference, 0)) where replaced_at is null',
    );
    this.addSql(`
      create table payment_vendor_rest (
        vendor text primary key check (vendor in ('GOCARDLESS', 'STRIPE', 'SLIMPAY', 'ADYEN')),
        ends_at timestamptz not null)`);
  }
}
