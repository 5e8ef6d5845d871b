import { settingGroups } from '../platform/settings/all-settings.ts';
import { code, table } from './markdown.ts';

interface Setting {
  description?: string;
  default?: string | number | boolean;
  examples?: readonly (string | number)[];
}

/** Tables of all settings with default, meaning and example, one per topic. */
export function settingsTables(): string {
  return settingGroups
    .map(({ title, settings }) => {
      const rows = Object.entries(settings as Readonly<Record<string, Setting>>).map(rowOf);
      return `## ${title}\n\n${table(['setting', 'default', 'meaning', 'example'], rows)}`;
    })
    .join('\n\n');
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
