import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountCampaignSchema = defineEntity({
  name: 'AccountCampaign',
  tableName: 'account_campaign',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    slug: p.text(),
    campaignNote: p.text().nullable(),
  },
});

/** A campaign that an account belongs to. */
export class AccountCampaign extends AccountCampaignSchema.class {}
AccountCampaignSchema.setClass(AccountCampaign);
