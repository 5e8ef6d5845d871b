import { eventTypes } from '../vocabulary/events.ts';
import { notQueriedSentences, reasonSentences } from '../vocabulary/reconciliation.ts';
import { code, table } from './markdown.ts';
import { settingGroups } from '../platform/settings/all-settings.ts';
import type { Command } from 'commander';
import { commandsBelow, outputsOf, type CommandOutput } from '../cli/command.ts';
import { createProgram } from '../cli/program.ts';
import { supplierProgram } from '../cli/supplier-program.ts';
import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import { publishedDocument } from './published-document.ts';
import { exampleOf } from '../openapi/schema-annotations.ts';
import { readSettings, settingsSchema } from '../platform/settings.ts';
import { buildRoutes, type RouteDeps } from '../processes/routes.ts';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Pool } from 'pg';
import { createRecorders } from '../platform/metrics/metrics.ts';
import { industrySwitchLimits, lookupBudget, paymentVendorLimits } from '../../temporal.config.ts';
import { magicPoints } from '../vendors/industry-switch/industry-switch.simulator.ts';
import { magicKinds } from '../vendors/network-operator/magic-identifier.simulator.ts';
import { ADYEN_VERSION } from '../vendors/payment-vendor/adyen/adyen.client.ts';
import { GOCARDLESS_VERSION } from '../vendors/payment-vendor/gocardless/gocardless.client.ts';
import { wordsForAlways, wordsForCalls } from '../vendors/payment-vendor/magic-reference.simulator.ts';
import { SLIMPAY_VERSION } from '../vendors/payment-vendor/slimpay/slimpay.client.ts';
import { STRIPE_VERSION } from '../vendors/payment-vendor/stripe/stripe.client.ts';
import { simulatedParties } from '../vendors/simulators.ts';
import { ownMember } from '../foundation/table.ts';
import { paymentVendors, type PaymentVendor } from '../vocabulary/value-sets.ts';

/** The operations in the generated page: number, method and path below /v1/data-import/, and operation id. */
const shownOperations = [
  [1, 'POST validate-account/', 'validateAccount'],
  [2, 'POST account-import-process/create-or-update/', 'stageAccount'],
  [3, 'POST account-import-process/process/', 'createAccount'],
  [4, 'POST notes/create/', 'createNotes'],
  [5, 'POST transactions/create/', 'createTransactions'],
  [6, 'POST historical-statements/create/', 'createHistoricalStatements'],
  [7, 'POST payment-instruction/create/', 'createPaymentInstruction'],
  [8, 'GET account-transfer-status/<supplier>/<number>/', 'findAccountTransferStatus'],
  [9, 'GET all-account-import-processes/<supplier>/', 'listAllImportProcesses'],
  [10, 'GET pending-account-import-processes/<supplier>/', 'listPendingImportProcesses'],
  [11, 'GET imported-account-import-processes/<supplier>/', 'listImportedImportProcesses'],
  [12, 'POST business/', 'createBusiness'],
  [13, 'POST business-contracts/create/', 'createBusinessContracts'],
  [14, 'POST supply-point/populate/', 'populateSupplyPoints'],
  [14, 'GET supply-point/populate/<batch_id>/', 'findPopulationBatch'],
] as const;

/** Maximum length of JSON on one line, in characters. */
const LINE_MAX = 130;

/** An example request and response of each operation, from the OpenAPI documentation. Repeated examples are shown once. */
function operationBodies(): string {
  const shownIn = new Map<string, number>();
  const show = (number: number, body: unknown) => {
    const above = shownIn.get(JSON.stringify(body));
    shownIn.set(JSON.stringify(body), above ?? number);
    if (above === undefined) return `:\n\n${block(body)}`;
    return above === number ? ': the same.' : `: as in ${above}.`;
  };
  // They are not called, so they need no dependencies.
  const routes = buildRoutes({ settings: readSettings({}) } as RouteDeps);
  const sections = shownOperations.map(([number, call, operationId]) => {
    const { openApi } = routes.find((route) => route.openApi?.operationId === operationId)!;
    const { summary, requestExamples = {}, replies } = openApi!;
    const [request] = Object.values(requestExamples);
    // If there are two, the second is the response to a first request.
    const [status, about] = Object.entries(replies).at(-1)!;
    return [
      `## ${number}. ${summary}`,
      `\`${call}\`${request === undefined ? '' : show(number, request)}`,
      `Answer ${status}${show(number, exampleOf(about.schema, about.example))}`,
    ].join('\n\n');
  });
  return `\n${sections.join('\n\n')}\n`;
}

function block(value: unknown): string {
  return `\`\`\`json\n${written(value, '')}\n\`\`\``;
}

/** Formats JSON; members that do not fit on one line get their own. */
function written(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, member]) => ({
    label: isList ? '' : `${JSON.stringify(name)}: `,
    member,
  }));
  const [open, close] = isList ? '[]' : '{}';
  const line = open + parts.map(({ label, member }) => label + written(member, '')).join(', ') + close;
  if (!line.includes('\n') && indent.length + line.length <= LINE_MAX) return line;
  const lines = parts.map(({ label, member }) => inner + label + written(member, inner));
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Tables of what each command prints with `--json`: its schema in the OpenAPI document, or its own. */
const operatorOutputs = () => outputTable(createProgram());
const supplierOutputs = () => outputTable(supplierProgram({}));

function outputTable(program: Command): string {
  const document = publishedDocument();
  const printed = commandsBelow(program).flatMap(([path, command]) =>
    outputsOf(command).map((output) => ({ path, output })),
  );
  const own = printed.flatMap(({ path, output }) =>
    'schema' in output ? [[`${path}${output.when === undefined ? '' : ` ${output.when}`}`, output.schema]] : [],
  );
  const rows = printed.map(({ path, output }) => [
    code(path),
    `${schemaOf(output, document)}${output.when === undefined ? '' : `, ${output.when}`}`,
    'operation' in output ? code(output.operation) : '',
  ]);
  const block = own.map(([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)}`).join(',\n');
  return `${table(['command', 'prints', 'response of'], rows)}\n\nOutput that a command composes, as JSON schemas:\n\n\`\`\`json\n${block}\n\`\`\``;
}

interface Schema {
  $ref?: string;
  type?: string;
  items?: Schema;
  /** Of NDJSON: the lines as a list. */
  contentSchema?: Schema;
}

function schemaOf(output: CommandOutput, { paths }: OpenApiDocument): string {
  if ('schema' in output) return 'its own schema, below';
  const [method = '', path = ''] = output.operation.split(' ');
  const form = path.replace(/<\w+>/g, '{}');
  const found = Object.entries(paths).find(([template]) => template.replace(/\{\w+\}/g, '{}') === form)?.[1];
  const responses = found?.[method.toLowerCase()]?.['responses'] as
    | Record<string, { content?: Record<string, { schema: Schema }> }>
    | undefined;
  const [, success] = Object.entries(responses ?? {}).find(([status]) => status.startsWith('2')) ?? [];
  const [content] = Object.entries(success?.content ?? {});
  if (content === undefined) throw new Error(`${output.operation} has no response in the OpenAPI document`);
  const [type, { schema }] = content;
  const name = nameOf(schema.contentSchema?.items ?? schema);
  if (output.member !== undefined) return `the member ${code(output.member)}${name === undefined ? '' : ` of ${name}`}`;
  if (type === 'application/x-ndjson') return name === undefined ? 'lines of the response' : `lines of ${name}`;
  return schema.type === 'array' ? `a list of ${nameOf(schema.items ?? {})}` : (name ?? 'the response');
}

const nameOf = ({ $ref: ref }: Schema) => (ref === undefined ? undefined : code(ref.split('/').at(-1)!));

interface Setting {
  description?: string;
  default?: string | number | boolean;
  examples?: readonly (string | number)[];
}

/** Tables of all settings with default, meaning and example, one per topic. */
function settingsTables(): string {
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

/** Every generated table of docs/, by its name in the page. */
export const generatedTables = new Map<string, () => string | Promise<string>>([
  ['bodies', operationBodies],
  ['reasons of differences', () => sentences('reason', reasonSentences)],
  ['reasons not to ask', () => sentences('reason', notQueriedSentences)],
  ['types of events', () => sentences('type', eventTypes)],
  ['output of commands for suppliers', supplierOutputs],
  ['output of commands for operators', operatorOutputs],
  ['settings', settingsTables],
  ['metrics', metricsTable],
  ['outside parties', partyTable],
  ['limits of calls', limitTable],
  ['payment vendor words', magicWordTable],
  ['network operator kinds', magicKindTable],
  ['industry switch points', magicPointTable],
]);

function sentences(name: string, entries: Readonly<Record<string, string>>): string {
  return table(
    [name, 'meaning'],
    Object.entries(entries).map(([entry, sentence]) => [code(entry), sentence]),
  );
}

/** A table between its markers. */
const MARKED = /(<!-- table: ([\w ]+), by npm run docs -->\n)[\s\S]*?(\n<!-- end of table -->)/g;

/** Names of the generated tables in a page. */
export function tablesIn(page: string): string[] {
  return [...page.matchAll(MARKED)].map(([, , name]) => name!);
}

/**
 * Replaces the generated tables of a page with their current content.
 * @throws Error for an unknown table name
 */
export async function fillTables(page: string): Promise<string> {
  const tables = new Map<string, string>();
  for (const name of tablesIn(page)) {
    const write = generatedTables.get(name);
    if (write === undefined) {
      throw new Error(`Unknown table "${name}". Tables: ${[...generatedTables.keys()].join(', ')}.`);
    }
    tables.set(name, await write());
  }
  return page.replace(MARKED, (_match, begin: string, name: string, end: string) => begin + tables.get(name)! + end);
}

/**
 * Table of all metrics as Prometheus reads them: records each metric once with the service's code and parses the output.
 * @returns rows of name, kind and unit, labels, and meaning
 */
export async function metricsTable(): Promise<string> {
  const text = await recordedMetrics();
  const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name!, kind!]));
  const units = new Map([...text.matchAll(/^# UNIT (\S+) (\S+)$/gm)].map(([, name, unit]) => [name!, unit!]));
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
    .map(([, name, meaning]) => [
      code(name!),
      [kinds.get(name!), unitNames.get(units.get(name!) ?? '')].filter(Boolean).join(', '),
      labelsOf(text, name!),
      meaning!,
    ])
    .toSorted(([one], [other]) => one!.localeCompare(other!));
  return table(['metric', 'kind', 'labels', 'meaning'], rows);
}

/** Names of OpenTelemetry's units. */
const unitNames: ReadonlyMap<string, string> = new Map([
  ['s', 'seconds'],
  ['By', 'bytes'],
]);

function labelsOf(text: string, name: string): string {
  const labels = text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'gm')).flatMap(([, found]) =>
    found!
      .matchAll(/(\w+)="/g)
      .map(([, label]) => label!)
      .filter((label) => label !== 'le'),
  );
  return [...new Set(labels)].map(code).join(', ');
}

async function recordedMetrics(): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const meter = provider.getMeter('gangway');
  const pool = new Pool();
  const now = new Date();
  const metrics = createRecorders(meter, '0.1.0');
  metrics.requestAnswered({ method: 'GET', route: '/', status: 404, code: 'not_found', durationSeconds: 0 });
  metrics.accountImported('ACME', 'created', 0);
  metrics.batchStarted(1);
  metrics.linesDone('accounts', { succeeded: 1, failed: 1 });
  metrics.partnerCalled('STRIPE', 'ok');
  metrics.observe('queue', () => ({ waitingRequests: 0, openRuns: 0, slotsInUse: 0 }));
  metrics.observePool('http', pool);
  metrics.observe('largeBodies', () => ({ bytesInFlight: 0, waiting: 0, refused: 0 }));
  metrics.observe('connections', () => ({ open: 0, max: 0, refusedOverAll: 0, refusedOfAddress: 0, evicted: 0 }));
  metrics.observe('numbers', () => false);
  metrics.observeService('retention', async () => [{ class: 'audit', deleted: 1, completedAt: now }]);
  metrics.observeService('auditChain', async () => ({
    blocks: 1,
    unsealedSince: now,
    verification: { findings: 0, startedAt: now },
  }));
  metrics.observeService('storedJobs', async () => [{ organisation: 'Acme', bytes: 1 }]);
  metrics.observeService('waves', async () => [{ status: 'CREATING', waves: 1, pastPlan: 0 }]);
  metrics.observeService('stuck', async () => [
    { cause: 'vendor_unavailable', party: 'STRIPE', count: 1, oldest: now },
  ]);
  metrics.observeService('backlog', async () => ({
    kinds: [{ kind: 'switch-supplier', due: 1, oldestDueAt: now }],
    dispatcher: { holder: 'host/1', heldSince: now, isOverdue: false, lastSweptAt: now },
    slots: { held: 1, oldestAcquiredAt: now },
  }));
  metrics.observeService('state', async () => ({
    isDatabaseReady: true,
    isTemporalReady: true,
    parties: [{ party: 'STRIPE', answeredAt: now, pausedUntil: null }],
    lookups: [{ networkOperator: 'enedis', pending: 0, perSecond: 0, usedPerSecond: 0 }],
    credentials: [{ credential: 'API key', expiresAt: now }],
  }));
  const { resourceMetrics } = await exporter.collect();
  metrics.stop();
  await pool.end();
  await provider.shutdown();
  return new PrometheusSerializer('', false, undefined, true, true).serialize(resourceMetrics);
}

const versions: Record<PaymentVendor, string> = {
  GOCARDLESS: GOCARDLESS_VERSION,
  STRIPE: STRIPE_VERSION,
  SLIMPAY: SLIMPAY_VERSION,
  ADYEN: ADYEN_VERSION,
};

/** Table of outside parties: setting and example of the address, and further required settings. */
function partyTable(): string {
  const rows = simulatedParties.map(({ name, address, besides }) => {
    const { examples } = ownMember(settingsSchema.properties, address) as { examples?: readonly string[] };
    return [name, code(address), code(examples?.[0] ?? ''), Object.keys(besides).map(code).join(', ')];
  });
  return table(['party', 'setting of the address', 'example', 'also needs'], rows);
}

interface Limits {
  timeoutMs: number;
  callsMax: number;
  waitingMax: number;
  failuresInARow: number;
  openMs: number;
  /** The part of import jobs. */
  ofJobs?: { callsAtOnce: number; perSecond: number };
}

/** The limits of calls to each party. */
function limitTable(): string {
  const parties: [string, string, Limits][] = [
    ...(Object.keys(paymentVendors) as PaymentVendor[]).map((vendor): [string, string, Limits] => [
      code(vendor),
      code(versions[vendor]),
      paymentVendorLimits[vendor],
    ]),
    ['network operators, each', '', lookupBudget.call],
    ['industry switch', '', industrySwitchLimits],
  ];
  return table(
    [
      'party',
      'version',
      'timeout of a call',
      'concurrent calls',
      'waiting calls',
      'failures that open the circuit breaker',
      'open for',
      'of import jobs, for each worker',
    ],
    parties.map(([name, version, { timeoutMs, callsMax, waitingMax, failuresInARow, openMs, ofJobs }]) => [
      name,
      version,
      `${timeoutMs / 1_000} s`,
      `${callsMax}`,
      `${waitingMax}`,
      `${failuresInARow}`,
      `${openMs / 1_000} s`,
      ofJobs === undefined ? '' : `${ofJobs.callsAtOnce} at a time, ${ofJobs.perSecond} a second`,
    ]),
  );
}

/** Table of words in references, for the simulated payment vendors. */
function magicWordTable(): string {
  return table(
    ['word', 'outcome'],
    [
      ...Object.entries(wordsForAlways).map(([word, outcome]) => [code(word), outcome]),
      ...Object.entries(wordsForCalls).map(([word, outcome]) => [code(`${word}-3`), `for 3 calls: ${outcome}`]),
    ],
  );
}

/** Table of identifier kinds, for the simulated network operators. */
function magicKindTable(): string {
  const rows = Object.entries(magicKinds).map(([kind, outcome]) => [code(kind), outcome]);
  return table(
    ['kind', 'outcome'],
    rows.toSorted(([one], [other]) => one!.localeCompare(other!)),
  );
}

/** Table of first digits of supply points, for the simulated industry switch. */
function magicPointTable(): string {
  return table(
    ['first digits', 'the industry switch'],
    [...magicPoints].map(([digits, { about }]) => [code(digits), about]),
  );
}
