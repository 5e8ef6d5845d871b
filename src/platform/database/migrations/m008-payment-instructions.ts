import { Migration } from '@mikro-orm/migrations';

/**
 * Verifications at payment vendors with their outcomes, and instructions that came of them: one in force per account and
 * type, the earlier ones kept.
 */
export class M008PaymentInstructions extends Migration {
  override async up(): Promise<void> {
    this.addSql(VERIFICATION);
    // One open verification per instruction: equal requests at once join it.
    this.addSql(
      'create unique index payment_verification_open on payment_verification (workflow_id) where outcome is null',
    );
    this.addSql('create index payment_verification_of_workflow on payment_verification (workflow_id, requested_at)');
    this.addSql('create index payment_verification_of_account on payment_verification (account_id)');
    this.addSql(`
      alter table payment_instruction
        add column verification_id uuid unique references payment_verification (id),
        add column verified_at timestamptz,
        add column replaced_at timestamptz,
        add constraint payment_instruction_verified check ((verification_id is null) = (verified_at is null))`);
    // What an account payload brought stands beside others of its type, on its supply point, until a verified one replaces it.
    this.addSql(
      'create unique index payment_instruction_in_force on payment_instruction (account_id, type) where verified_at is not null and replaced_at is null',
    );
  }
}

const VERIFICATION = `
  create table payment_verification (
    id uuid primary key,
    account_id uuid not null references account (id),
    workflow_id text collate "C" not null,
    vendor text not null check (vendor in ('GOCARDLESS', 'STRIPE', 'SLIMPAY', 'ADYEN')),
    type text not null check (type in ('CARD', 'DIRECT_DEBIT')),
    reference text not null,
    requested_at timestamptz not null default clock_timestamp(),
    outcome text check (outcome in ('verified', 'rejected', 'unreachable')),
    reason text,
    settled_at timestamptz,
    check ((outcome is null) = (settled_at is null)))`;
