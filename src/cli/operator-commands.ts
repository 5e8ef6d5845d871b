import type { ApiKeyView } from '../access/keys/api-key.schema.ts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ThrottleView } from '../supply-points/throttle/throttle.openapi.ts';
import { supplierStatuses } from '../vocabulary/supplier-status.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { keyCreateCommand } from './key-create.command.ts';
import { line, operatorGroup, REASON, REQUIRED_REASON, table } from './operator-command.ts';
import { printLine } from './output.ts';

/** `supplier list|show|set`: import suppliers, their status and options. */
export const supplierCommand = (): Command =>
  operatorGroup('supplier', 'Import suppliers', [
    {
      usage: 'list',
      description: 'List all import suppliers.',
      examples: ['supplier list', 'supplier list --json'],
      route: 'GET import-suppliers/',
      show: table(
        { CODE: 'code', NAME: 'name', STATUS: 'status', 'DOCUMENT ROOT': 'document_root', REASON: 'reason' },
        'There are no import suppliers yet. Register one: npm run cli -- supplier set <code> --name <name>',
      ),
    },
    {
      usage: 'show <code>',
      description: 'Show one import supplier with its options.',
      examples: ['supplier show ACME'],
      route: 'GET import-suppliers/<code>/',
    },
    {
      usage: 'set <code>',
      description: 'Register an import supplier, or change the given settings of one.',
      examples: [
        'supplier set ACME --name "Acme Energy"',
        'supplier set ACME --status Paused --reason "database upgrade"',
        'supplier set ACME --option closed_value_sets=\'{"sales_channel": ["DIRECT"]}\'',
        'supplier set ACME --option open_value_sets=\'["term_type"]\' --reason "new product of this supplier"',
        'supplier set ACME --option industry_switch=false',
      ],
      options: [
        new Option('--name <name>', 'display name'),
        new Option('--status <status>', 'whether accounts are taken').choices(Object.keys(supplierStatuses)),
        new Option('--document-root <address>', 'root of document paths; "" for none'),
        new Option('--option <name=json>', 'an option; null removes it; can be repeated').argParser(withOption),
        REASON,
      ],
      route: 'PUT import-suppliers/<code>/',
      members: { option: 'options' },
    },
  ]);

function withOption(text: string, sofar: Record<string, unknown> = {}): Record<string, unknown> {
  const [name, ...rest] = text.split('=');
  if (!name || rest.length === 0) throw new InvalidArgumentError('Write name=json, for example industry_switch=false.');
  try {
    return { ...sofar, [name]: JSON.parse(rest.join('=')) };
  } catch {
    throw new InvalidArgumentError(`The value of ${name} is not JSON; a text needs quotes: ${name}='"text"'.`);
  }
}

/** `team list|show|set`: operations teams that requests may name. */
export const teamCommand = (): Command =>
  operatorGroup('team', 'Operations teams', [
    {
      usage: 'list',
      description: 'List all teams.',
      examples: ['team list'],
      route: 'GET operations-teams/',
      show: table(
        { NAME: 'name', SINCE: 'created_at' },
        'There are no teams yet. Create one: npm run cli -- team set <name>',
      ),
    },
    {
      usage: 'show <name>',
      description: 'Show one team.',
      examples: ['team show Migration'],
      route: 'GET operations-teams/<name>/',
    },
    {
      usage: 'set <name>',
      description: 'Create a team if it does not exist.',
      examples: ['team set Migration'],
      options: [REASON],
      route: 'PUT operations-teams/<name>/',
    },
  ]);

/** `organisation list|show|set`: the holders of keys, and their agreed limits. */
export const organisationCommand = (): Command =>
  operatorGroup('organisation', 'Organizations that keys are issued to', [
    {
      usage: 'list',
      description: 'List all organizations.',
      examples: ['organisation list'],
      route: 'GET organisations/',
      show: table(
        {
          NAME: 'name',
          'CUSTOMER AUTHORIZATION': (one: { customer_authorisation: boolean }) =>
            one.customer_authorisation ? 'on' : 'off',
          SINCE: 'created_at',
        },
        'There is no organization yet. Create its first key to create it.',
      ),
    },
    {
      usage: 'show <name>',
      description: 'Show one organization.',
      examples: ['organisation show Acme'],
      route: 'GET organisations/<name>/',
    },
    {
      usage: 'set <name>',
      description:
        "Set whether its batches of supply points declare the customers' authorization if they do not state it themselves.",
      examples: ['organisation set Acme --customer-authorisation on --reason "mandates checked on 12 May"'],
      options: [
        new Option('--customer-authorisation <on or off>', 'the customers have authorized the lookups')
          .choices(['on', 'off'])
          .makeOptionMandatory(),
        REQUIRED_REASON,
      ],
      route: 'PUT organisations/<name>/',
      members: ({ customerAuthorisation, reason }: Record<string, string>) => ({
        customer_authorisation: customerAuthorisation === 'on',
        reason,
      }),
    },
  ]);

/** `key create|list|revoke`: API keys. */
export const keyCommand = (): Command =>
  operatorGroup('key', 'API keys', [
    keyCreateCommand,
    {
      usage: 'list',
      description: 'List all keys, newest first, including revoked ones.',
      examples: ['key list'],
      route: 'GET api-keys/',
      show: table(
        {
          ID: 'id',
          ORGANISATION: 'organisation',
          NAME: 'name',
          ROLE: (one: ApiKeyView) => (one.scope === 'all' ? one.role : `${one.role} (${one.scope})`),
          SUPPLIERS: (one: ApiKeyView) => one.import_suppliers.join(', '),
          'STARTS WITH': 'starts_with',
          CREATED: 'created_at',
          'LAST USED': 'last_used_at',
          EXPIRES: 'expires_at',
          REVOKED: 'revoked_at',
        },
        'There are no keys yet. Create one: npm run cli -- key create --role operator --organisation <name> --name <purpose>',
      ),
    },
    {
      usage: 'revoke <id>',
      description: 'Revoke a key; its tokens end within a second.',
      examples: ['key revoke 0199a000-0000-7000-8000-000000000000'],
      route: 'DELETE api-keys/<id>/',
      show: line('Key {id} ({organisation}, {name}) was revoked at {revoked_at}.'),
    },
  ]);

const LIMIT = 'settings/create-account-concurrency-limit/';

/** `limit show|set|off`: how many accounts may be created concurrently. */
export const limitCommand = (): Command =>
  operatorGroup('limit', 'Concurrency limit on the creation of accounts', [
    {
      usage: 'show',
      description: 'Show the limit and how much of it is in use.',
      examples: ['limit show'],
      route: `GET ${LIMIT}`,
      show: showLimit,
    },
    {
      usage: 'set <accounts>',
      description:
        'Set how many accounts may be created concurrently; requests above the limit get 429 with Retry-After.',
      examples: ['limit set 20 --reason "support site is slow"'],
      options: [REASON],
      route: `PUT ${LIMIT}`,
      members: ({ accounts = '', reason }: Record<string, string>) => ({
        limit: numberIn(
          accounts,
          /^[1-9]\d{0,9}$/,
          'A whole number from 1 is expected; `limit off` removes the limit.',
        ),
        reason,
      }),
      show: showLimit,
    },
    {
      usage: 'off',
      description: 'Remove the limit.',
      examples: ['limit off --reason "support site is well again"'],
      options: [REASON],
      route: `PUT ${LIMIT}`,
      members: ({ reason }: Record<string, string>) => ({ limit: null, reason }),
      show: showLimit,
    },
  ]);

function showLimit(found: { limit: number | null; in_use: number; reason: string | null }): void {
  const { limit, in_use: inUse, reason } = found;
  const why = reason === null ? '' : ` (${reason})`;
  printLine(
    limit === null
      ? `There is no limit${why}.`
      : `At most ${limit} accounts are created concurrently, ${inUse} now${why}.`,
  );
}

function numberIn(text: string, form: RegExp, sentence: string): number {
  if (!form.test(text)) throw new CommandError(sentence, exitStatuses.usage);
  return Number(text);
}

const THROTTLE = 'network-operators/<operator>/throttle/';

/** `throttle show|set`: the speed of calls to a network operator. */
export const throttleCommand = (): Command =>
  operatorGroup('throttle', 'Speed of the lookups at the network operators', [
    {
      usage: 'show <operator>',
      description: 'Show the rate limit of enedis or grdf.',
      examples: ['throttle show enedis'],
      route: `GET ${THROTTLE}`,
      show: showThrottle,
    },
    {
      usage: 'set <operator>',
      description: 'Set the rate limit; it takes effect on all workers within a second. 0 pauses lookups.',
      examples: [
        'throttle set enedis --per-second 5 --per-hour 10000 --reason "contract of May"',
        'throttle set grdf --per-second 0',
      ],
      options: [
        new Option('--per-second <calls>', 'maximum calls per second'),
        new Option('--per-hour <calls>', 'maximum calls per hour'),
        REASON,
      ],
      route: `PUT ${THROTTLE}`,
      members: ({ perSecond, perHour, reason }: { perSecond?: string; perHour?: string; reason?: string }) => {
        if (perSecond === undefined && perHour === undefined) {
          throw new CommandError('Set --per-second, --per-hour, or both.', exitStatuses.usage);
        }
        return { requests_per_second: callsIn(perSecond), requests_per_hour: callsIn(perHour), reason };
      },
      show: showThrottle,
    },
  ]);

const callsIn = (text: string | undefined) =>
  text === undefined
    ? undefined
    : numberIn(text, /^\d{1,9}(\.\d{1,6})?$/, 'A number from 0 is expected, such as 5 or 0.5.');

function showThrottle(throttle: ThrottleView): void {
  const why = throttle.reason === null ? '' : ` (${throttle.reason})`;
  const speed = throttle.used_per_second === 0 ? 'is paused' : `receives ${throttle.used_per_second} calls per second`;
  printLine(
    `${throttle.network_operator} ${speed}: at most ${throttle.requests_per_second} calls per second and ${throttle.requests_per_hour} per hour${why}.`,
  );
  if (throttle.blocked_until !== null) {
    printLine(`Rate limited by the network operator until ${throttle.blocked_until}.`);
  }
}
