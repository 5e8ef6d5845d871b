import { Type, type Static } from 'typebox';
import { capacitySettings } from './capacity-settings.ts';
import { dataProtectionSettings } from './data-protection-settings.ts';
import { installationSettings } from './installation-settings.ts';
import { localSettings } from './local-settings.ts';
import { monitoringSettings } from './monitoring-settings.ts';
import { partySettings } from './party-settings.ts';
import { supportSiteSettings } from './support-site-settings.ts';
import type { fixedValues } from './fixed-values.ts';

/** The settings grouped by topic, for docs/running/settings.md. */
export const settingGroups = [
  ['For the installation: addresses, connections and credentials of the service itself', installationSettings],
  ['For monitoring: logs, metrics, traces and readiness', monitoringSettings],
  ['For capacity: how much runs at once, and how much is stored', capacitySettings],
  ['For outside parties: addresses, credentials, and how often they are called', partySettings],
  ['For data protection: how long data is kept, and the keys of proofs', dataProtectionSettings],
  ['For the support site and signing in', supportSiteSettings],
  ['For one machine: `npm start` and the command line', localSettings],
] as const;

/** Every setting of every process. docs/running/settings.md and `--help` are generated from it. No other code reads `process.env`. */
export const settingsSchema = Type.Object({
  ...installationSettings,
  ...monitoringSettings,
  ...capacitySettings,
  ...partySettings,
  ...dataProtectionSettings,
  ...supportSiteSettings,
  ...localSettings,
});

/** The settings, together with the fixed values. */
export type Settings = Static<typeof settingsSchema> & {
  -readonly [Name in keyof typeof fixedValues]: (typeof fixedValues)[Name];
};
