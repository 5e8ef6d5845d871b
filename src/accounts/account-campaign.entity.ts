import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountCampaignSchema = defineEntity({
  name: 'AccountCampaign',
  tableName: 'account_campaign',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    slug: p.text().comment(KEPT),
    campaignNote: p.text().nullable().comment(PERSONAL),
  },
});

/** A campaign that an account belongs to. */
export class AccountCampaign extends AccountCampaignSchema.class {}
AccountCampaignSchema.setClass(AccountCampaign);
