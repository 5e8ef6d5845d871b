import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import type { CreatedApiKey } from '../access/keys/api-key.schema.ts';
import { tableOf } from '../foundation/table.ts';
import type { Database } from '../platform/database/database.ts';
import { isTransientError, sqlStateOf } from '../platform/database/faults.ts';
import { readSettings } from '../platform/settings.ts';
import { keyScopes, type KeyScope } from '../vocabulary/key-roles.ts';
import { isRefused, refusals, type Refused } from '../vocabulary/refusals.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import type { CommandSpec, JsonOption } from './command.ts';
import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { REASON } from './operator-command.ts';
import { findProfile, readEnvironment } from './profiles.ts';
import { readSession } from './session.ts';

interface KeyCreateOptions extends JsonOption {
  role: 'operator' | 'supplier';
  organisation: string;
  name: string;
  supplier: string[];
  scope?: KeyScope;
  expires?: string;
  reason?: string;
  direct?: true;
  profile?: string;
}

/** By SQLSTATE or its class: undefined table, unknown database, rejected login. */
const SENTENCES = tableOf({
  '42P01': 'The database has no tables yet. Run `npm start` once, or the migrate process, then try again.',
  '3D000': 'The server has no database with this name. Check DATABASE_URL, then try again.',
  '28': 'The database rejects the user or password. Check DATABASE_URL, then try again.',
});

/**
 * `key create`: issues an API key over the API with a session, otherwise directly in the database, because the first operator
 * key cannot be issued over the API. The only command that is not just a client of the API.
 */
export const keyCreateCommand: CommandSpec = {
  usage: 'create',
  description: 'Create an API key and print it. The key is shown only once.',
  examples: [
    'key create --role operator --organisation Operations --name ada',
    'key create --role supplier --organisation Acme --name importer --supplier ACME',
    'key create --role operator --organisation Grid --name messages --scope market_messages --expires 2027-01-31',
  ],
  note: 'The database is DATABASE_URL or, if that is not set, the one of `npm start` in DATA_DIR (.gangway).',
  options: [
    new Option('--role <role>', 'what the key may do').choices(['operator', 'supplier']).makeOptionMandatory(),
    new Option('--organisation <name>', 'whom the key is for; made if it is new').makeOptionMandatory(),
    new Option('--name <name>', 'what the key is for, such as the system that uses it').makeOptionMandatory(),
    new Option('--supplier <code...>', 'import suppliers whose data the key may see and change').default([]),
    new Option('--scope <scope>', 'what an operator key is restricted to').choices(membersOf(keyScopes)),
    new Option(
      '--expires <day or instant>',
      'when the key expires, such as 2027-01-31 or 2027-01-31T18:00:00Z',
    ).argParser(expiry),
    REASON,
    new Option(
      '--direct',
      'write directly to the database; the default if DATABASE_URL is set or you are not logged in',
    ),
  ],
  json: 'print one JSON line {"id", "api_key"}',
  prints: { operation: 'POST /v1/operations/api-keys/' },
  act: createKey,
};

async function createKey(options: KeyCreateOptions, connect: () => Promise<Connection>): Promise<void> {
  const settings = readSettings();
  const isConnected = findProfile(options, readEnvironment()) !== undefined || readSession() !== undefined;
  const isDefault = options.profile === undefined && (settings.DATABASE_URL !== undefined || !isConnected);
  const usesDatabase = options.direct || isDefault;
  const created = usesDatabase
    ? await issueKey(databaseUrl(), options)
    : await (await connect()).send<CreatedApiKey>('POST', 'api-keys/', wantedKey(options));
  if (options.json) {
    process.stdout.write(`${JSON.stringify(created)}\n`);
    return;
  }
  // Only the key goes to standard output, so that scripts can read it.
  process.stderr.write(
    `Key ${created.id} (${options.role}) for ${options.organisation}. Keep it secret; it is shown only once:\n`,
  );
  process.stdout.write(`${created.api_key}\n`);
}

function wantedKey(options: KeyCreateOptions) {
  const { role, organisation, name, supplier, scope, expires, reason } = options;
  return { role, organisation, name, import_suppliers: supplier, scope, expires_at: expires, reason };
}

/** A day means its beginning in UTC. */
function expiry(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
}

async function issueKey(url: string, options: KeyCreateOptions): Promise<CreatedApiKey> {
  // Loaded on demand: the other commands do not need these modules, and start four times as fast.
  const [{ apiKeyEntities, createAuditedApiKey }, { openDatabase }, { createLog }] = await Promise.all([
    import('../access/index.ts'),
    import('../platform/database/database.ts'),
    import('../platform/log.ts'),
  ]);
  let database: Database | undefined;
  try {
    database = await openDatabase({
      url,
      entities: apiKeyEntities,
      poolSize: 1,
      log: createLog({ level: 'silent', process: 'cli' }),
      applicationName: 'gangway-cli',
    });
    const created = await createAuditedApiKey({ database }, { keyName: 'command line' }, wantedKey(options));
    if (isRefused(created)) throw new CommandError(refusalText(created, options));
    return created;
  } catch (error) {
    throw inWords(error);
  } finally {
    await database?.close();
  }
}

/** Converts known database errors to sentences with advice; returns other errors unchanged. */
function inWords(error: unknown): unknown {
  const sqlState = sqlStateOf(error) ?? '';
  const sentence =
    SENTENCES.get(sqlState) ??
    SENTENCES.get(sqlState.slice(0, 2)) ??
    (isTransientError(error)
      ? 'The database cannot be reached. Check DATABASE_URL, or start the service with `npm start`, then try again.'
      : undefined);
  return sentence === undefined ? error : new CommandError(sentence);
}

/** The address of the database: from the settings, or of the running service. */
function databaseUrl(): string {
  const settings = readSettings();
  if (settings.DATABASE_URL !== undefined) return settings.DATABASE_URL;
  const file = join(settings.DATA_DIR, 'up.json');
  try {
    const { database } = JSON.parse(readFileSync(file, 'utf8')) as { database?: unknown };
    if (typeof database === 'string') return database;
  } catch {
    // Falls through to the error below.
  }
  throw new CommandError(
    `There is no running service: ${file} does not name a database. Start it with \`npm start\`, or set DATABASE_URL (or DATA_DIR).`,
  );
}

function refusalText(refused: Refused, options: KeyCreateOptions): string {
  const lines = (refused.violations ?? []).map(({ attr, detail }) => {
    const [field, index] = attr.split('.');
    if (field === 'expires_at') return `--expires: ${detail}`;
    if (field !== 'import_suppliers' || index === undefined) {
      return `--${field === 'import_suppliers' ? 'supplier' : field}: ${detail}`;
    }
    return `--supplier ${options.supplier[Number(index)] ?? ''}: ${detail} Register it with PUT /v1/operations/import-suppliers/<code>/ first.`;
  });
  return lines.length > 0 ? lines.join('\n') : (refused.detail ?? refusals[refused.code].sentence);
}
