import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountCampaignSchema = defineEntity({
  name: 'AccountCampaign',
  tableName: 'account_campaign',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    slug: p.text().name('slug'),
    campaignNote: p.text().name('campaign_note').nullable(),
  },
});

/** A campaign that an account belongs to. */
export class AccountCampaign extends AccountCampaignSchema.class {}
AccountCampaignSchema.setClass(AccountCampaign);
