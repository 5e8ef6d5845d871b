import { settingsSchema } from '../platform/settings.ts';

/** All settings with default and description, for `--help`. */
export function settingsHelp(): string {
  const lines = Object.entries(settingsSchema.properties).map(([name, about]) => {
    const {
      description,
      default: preset,
      examples,
    } = about as { description?: string; default?: string | number | boolean; examples?: unknown[] };
    const value = preset === undefined ? `unset, for example ${examples?.[0]}` : `${preset}`;
    return `  ${name} (${value})\n      ${description}`;
  });
  return `Settings are environment variables:\n\n${lines.join('\n')}`;
}
