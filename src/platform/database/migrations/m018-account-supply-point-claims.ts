import { Migration } from '@mikro-orm/migrations';

/**
 * A point that stands on another account too: since when its switch is held back, and when an operator let it go on. The
 * index finds those that an operator has to decide; an agreement's point tells whether it has ended on another account.
 */
export class M018AccountSupplyPointClaims extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table account_supply_point
        add column held_since timestamptz,
        add column released_at timestamptz,
        add constraint account_supply_point_released check (released_at is null or held_since is not null)`);
    this.addSql(
      "create index account_supply_point_held on account_supply_point (held_since) where held_since is not null and released_at is null and switch_status = 'PENDING'",
    );
    this.addSql('create index agreement_of_point on agreement (account_id, point_position)');
  }
}
