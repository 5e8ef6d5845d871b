import { commandLineSettings } from '../platform/settings/command-line-settings.ts';
import { creationSettings } from '../platform/settings/creation-settings.ts';
import { databaseSettings } from '../platform/settings/database-settings.ts';
import { documentStoreSettings } from '../platform/settings/document-store-settings.ts';
import { eventSettings } from '../platform/settings/event-settings.ts';
import { httpSettings } from '../platform/settings/http-settings.ts';
import { importJobSettings } from '../platform/settings/import-job-settings.ts';
import { industrySwitchSettings } from '../platform/settings/industry-switch-settings.ts';
import { networkOperatorSettings } from '../platform/settings/network-operator-settings.ts';
import { paymentSettings } from '../platform/settings/payment-settings.ts';
import { reconciliationSettings } from '../platform/settings/reconciliation-settings.ts';
import { retentionSettings } from '../platform/settings/retention-settings.ts';
import { processSettings } from '../platform/settings/process-settings.ts';
import { supportSiteSettings } from '../platform/settings/support-site-settings.ts';
import { temporalSettings } from '../platform/settings/temporal-settings.ts';
import { traceSettings } from '../platform/settings/trace-settings.ts';
import { workItemSettings } from '../platform/settings/work-item-settings.ts';
import { code, table } from './markdown.ts';

interface Setting {
  description?: string;
  default?: string | number | boolean;
  examples?: readonly (string | number)[];
}

const GROUPS: readonly [title: string, settings: object][] = [
  ['The API', httpSettings],
  ['Postgres', databaseSettings],
  ['Temporal', temporalSettings],
  ['Processes', processSettings],
  ['Traces', traceSettings],
  ['Pending work', workItemSettings],
  ['Creating accounts', creationSettings],
  ['Import jobs', importJobSettings],
  ['Events', eventSettings],
  ['Reconciliations', reconciliationSettings],
  ['Retention of personal data', retentionSettings],
  ['The document store', documentStoreSettings],
  ['Payment vendors', paymentSettings],
  ['The industry switch', industrySwitchSettings],
  ['Network operators', networkOperatorSettings],
  ['The support site', supportSiteSettings],
  ['The command line', commandLineSettings],
];

/** Every setting with its default, meaning and an example, in a table for each subject. */
export function settingsTables(): string {
  return GROUPS.map(([title, settings]) => {
    const rows = Object.entries(settings as Readonly<Record<string, Setting>>).map(rowOf);
    return `## ${title}\n\n${table(['setting', 'default', 'meaning', 'example'], rows)}`;
  }).join('\n\n');
}

function rowOf([name, { description, default: preset, examples }]: [string, Setting]): string[] {
  const example = examples?.[0];
  return [
    code(name),
    preset === undefined ? '' : code(`${preset}`),
    description ?? '',
    example === undefined ? '' : code(`${example}`),
  ];
}
