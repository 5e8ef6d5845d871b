import { readFileSync } from 'node:fs';
import { envSchema } from 'env-schema';
import { ownMember } from '../foundation/table.ts';
import { settingFaults } from './check-settings.ts';
import { secretNames, settingsSchema, type SecretName, type Settings } from './settings/all-settings.ts';
import { fixedValues } from './settings/fixed-values.ts';

export { settingsSchema, type SecretName, type Settings };

/** A setting is invalid. The message contains its name, meaning and an example. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Reads and validates the settings. A secret given directly takes precedence over its file.
 * @param source normally `process.env`
 * @param fixed other fixed values, for tests
 * @throws SettingsError with each invalid setting
 */
export function readSettings(
  source: Record<string, string | undefined> = process.env,
  fixed: Partial<typeof fixedValues> = {},
): Settings {
  const direct = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const given = { ...secretsFromFiles(direct), ...direct };
  const settings = { ...checked(given), ...fixedValues, ...fixed };
  const faults = faultsOfSettings(settings);
  if (faults.length > 0) throw new SettingsError(faults.join('\n'));
  return settings;
}

/**
 * Validation of settings beyond the schema.
 * @returns a message for each fault, without secrets
 */
export function faultsOfSettings(settings: Settings): string[] {
  // A pattern in the schema would show the password in its message.
  if (settings.DATABASE_URL !== undefined && !namesDatabase(settings.DATABASE_URL)) {
    const {
      description,
      examples: [example],
    } = settingsSchema.properties.DATABASE_URL as unknown as { description: string; examples: string[] };
    return [
      `Setting DATABASE_URL is not a URL with the name of a database. ${description} Example: DATABASE_URL=${example}`,
    ];
  }
  return settingFaults(settings);
}

/**
 * Returns the secrets that are read from files, with their paths.
 * @param source normally `process.env`
 */
export function secretFiles(source: Record<string, string | undefined> = process.env): ReadonlyMap<SecretName, string> {
  return new Map(
    secretNames.flatMap((name) => {
      const path = source[`${name}_FILE`];
      return path && !source[name] ? [[name, path] as const] : [];
    }),
  );
}

function checked(given: Record<string, string | undefined>): Settings {
  try {
    return envSchema<Settings>({ schema: settingsSchema as never, data: given, env: false });
  } catch (error) {
    throw new SettingsError(settingsMessage(error, given));
  }
}

function namesDatabase(url: string): boolean {
  return (URL.parse(url)?.pathname.length ?? 0) > 1;
}

function secretsFromFiles(given: Record<string, string | undefined>): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const [name, path] of secretFiles(given)) {
    const secret = contentOf(path, `${name}_FILE`);
    if (secret === '') {
      throw new SettingsError(`Setting ${name}_FILE=${path}: the file is empty. It must contain the value of ${name}.`);
    }
    secrets[name] = secret;
  }
  return secrets;
}

/** Content of a file without the line break that most editors append. */
function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new SettingsError(
      `Setting ${name}=${path}: the file cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

interface SettingFault {
  instancePath: string;
  message?: string;
}

function settingsMessage(error: unknown, given: Record<string, string | undefined>): string {
  const faults = (error as { errors?: SettingFault[] }).errors;
  if (!faults) return String(error);
  const names = new Set(faults.map((fault) => fault.instancePath.slice(1)));
  return [...names]
    .map((name) => {
      const about = ownMember(settingsSchema.properties, name) as
        | { description?: string; default?: unknown; examples?: unknown[] }
        | undefined;
      const why = faults.find((fault) => fault.instancePath === `/${name}`)?.message ?? 'is not usable';
      const example = about?.examples?.[0] ?? about?.default;
      return `Setting ${name}=${given[name]} ${why}. ${about?.description ?? ''} Example: ${name}=${example}`;
    })
    .join('\n');
}
