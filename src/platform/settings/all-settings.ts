import { Type, type Static } from 'typebox';
import { commandLineSettings } from './command-line-settings.ts';
import { creationSettings } from './creation-settings.ts';
import { databaseSettings } from './database-settings.ts';
import { documentStoreSettings } from './document-store-settings.ts';
import { eventSettings } from './event-settings.ts';
import { httpSettings } from './http-settings.ts';
import { importJobSettings } from './import-job-settings.ts';
import { industrySwitchSettings } from './industry-switch-settings.ts';
import { networkOperatorSettings } from './network-operator-settings.ts';
import { paymentSettings } from './payment-settings.ts';
import { processSettings } from './process-settings.ts';
import { reconciliationSettings } from './reconciliation-settings.ts';
import { retentionSettings } from './retention-settings.ts';
import { supportSiteSettings } from './support-site-settings.ts';
import { temporalSettings } from './temporal-settings.ts';
import { traceSettings } from './trace-settings.ts';
import { workItemSettings } from './work-item-settings.ts';

/** Every setting of every process; docs/running/settings.md and `--help` come from here. Nothing else reads `process.env`. */
export const settingsSchema = Type.Object({
  ...httpSettings,
  ...databaseSettings,
  ...temporalSettings,
  ...processSettings,
  ...traceSettings,
  ...workItemSettings,
  ...creationSettings,
  ...importJobSettings,
  ...eventSettings,
  ...reconciliationSettings,
  ...retentionSettings,
  ...documentStoreSettings,
  ...paymentSettings,
  ...industrySwitchSettings,
  ...networkOperatorSettings,
  ...supportSiteSettings,
  ...commandLineSettings,
});

export type Settings = Static<typeof settingsSchema>;
