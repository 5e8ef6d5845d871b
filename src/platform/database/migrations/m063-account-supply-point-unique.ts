import { Migration } from '@mikro-orm/migrations';

/**
 * A point stands on an account once. The same constraint with its columns the other way round is also the index by which the other accounts of
 * a point are found, so each point that is created writes one index less, and 20,000,000 of them take 1 GB less.
 */
export class M063AccountSupplyPointUnique extends Migration {
  static readonly olderReleases = {
    'account_supply_point loses CREATE UNIQUE INDEX ON public.account_supply_point USING btree (account_id, supply_point_id)':
      'No statement of any release names it in `on conflict`.',
    'account_supply_point has to keep to CREATE UNIQUE INDEX ON public.account_supply_point USING btree (supply_point_id, account_id)':
      'The constraint that goes says the same.',
  };

  override async up(): Promise<void> {
    this.addSql(`
      alter table account_supply_point
        add constraint account_supply_point_supply_point_id_account_id_key unique (supply_point_id, account_id),
        drop constraint account_supply_point_account_id_supply_point_id_key`);
    this.addSql('drop index account_supply_point_of_point');
  }
}
