import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import type { BatchView } from '../supply-points/find/find-supply-points.openapi.ts';
import type { JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection } from './connection.ts';
import { textIn } from './files.ts';
import { line, operatorGroup, pathOf, table } from './operator-command.ts';
import { printJson, printLine } from './output.ts';
import { barOf, ProgressLine } from './progress.ts';

interface Batch extends BatchView {
  errored_requests: Record<'prms' | 'pces', { id: string; errored_reason: string }[]>;
}

type PopulateOptions = WatchOptions & { file: string; customerAuthorisation?: true; importSupplier?: string };
type WatchOptions = JsonOption & { watch?: boolean };

const POPULATE = '/v1/data-import/supply-point/populate/';
const PRINTED_BATCH = { operation: `GET ${POPULATE}<batch>/` };
const WATCH_MS = 1_000;
const ERRORED_SHOWN = 10;
const JSON_OF_LAST = 'print the last response as one JSON line';

/** `supply-points populate|list|status|show|retry|cancel|retry-one`: supply points from the network operators. */
export const supplyPointsCommand = (): Command =>
  operatorGroup('supply-points', 'Supply points from the network operators', COMMANDS);

const COMMANDS: Parameters<typeof operatorGroup>[2] = [
  {
    usage: 'populate <file>',
    description:
      'Send a file of identifiers and follow their lookups. The batch belongs to the import suppliers of the session.',
    examples: [
      'supply-points populate points.json',
      'supply-points populate prms.txt --no-watch',
      'supply-points populate prms.txt --customer-authorisation',
    ],
    options: [
      new Option('--customer-authorisation', 'the customers have authorized the lookups'),
      new Option('--import-supplier <code>', 'import supplier of the batch'),
      new Option('--no-watch', 'exit when the batch is accepted'),
    ],
    json: JSON_OF_LAST,
    prints: [PRINTED_BATCH, { when: 'with `--no-watch`', operation: `POST ${POPULATE}` }],
    act: populate,
  },
  {
    usage: 'list',
    description: 'Show the newest batches: of the organization, or of all of them for an operator.',
    examples: ['supply-points list', 'supply-points list --limit 100 --json'],
    options: [new Option('--limit <batches>', 'maximum number of batches, up to 100 (default 20)')],
    route: `GET ${POPULATE}`,
    show: table(
      {
        BATCH: 'batch_id',
        CREATED: 'created_at',
        STATUS: 'status',
        ACCEPTED: ({ counts }: BatchView) => total(counts.accepted),
        PENDING: ({ counts }: BatchView) => total(counts.pending),
        ERRORED: ({ counts }: BatchView) => total(counts.errored),
        'IMPORT SUPPLIERS': (one: BatchView) => one.import_suppliers.join(', '),
      },
      'There are no batches.',
    ),
  },
  {
    usage: 'status <batch>',
    description: 'Show the progress of a batch.',
    examples: ['supply-points status <batch_id> --watch'],
    options: [new Option('--watch', 'wait until it has ended')],
    json: JSON_OF_LAST,
    prints: PRINTED_BATCH,
    act: async ({ batch, ...options }: WatchOptions & { batch: string }, connect) => {
      const connection = await connect();
      if (options.watch) return watch(connection, batch, options);
      show(await statusOf(connection, batch), options);
    },
  },
  {
    usage: 'retry <batch>',
    description: 'Retry all failed and deferred identifiers of a batch.',
    examples: ['supply-points retry <batch_id>'],
    route: 'POST population-batches/<batch>/retry/',
    show: line('{retried} identifiers will be requested again.'),
  },
  {
    usage: 'cancel <batch>',
    description: 'Cancel a batch. Completed lookups are kept.',
    examples: ['supply-points cancel <batch_id>'],
    route: 'POST population-batches/<batch>/cancel/',
    show: line('The batch is {status}; {cancelled} identifiers were still pending.'),
  },
  {
    usage: 'show <operator> <identifier>',
    description: 'Show the result for one supply point. The read is audited.',
    examples: ['supply-points show enedis 25014987360042'],
    route: 'GET supply-points/<operator>/<identifier>/',
  },
  {
    usage: 'retry-one <operator> <identifier>',
    description: 'Retry the lookup of one identifier, for all batches.',
    examples: ['supply-points retry-one enedis 25014987360042'],
    route: 'POST look-ups/<operator>/<identifier>/retry/',
    show: ({ retried }: { retried: number }) =>
      printLine(
        retried > 0 ? 'The lookup is requested again.' : 'Nothing to retry: the lookup is pending or complete.',
      ),
  },
];

async function populate(options: PopulateOptions, connect: () => Promise<Connection>): Promise<void> {
  const { file, customerAuthorisation, importSupplier, ...shown } = options;
  const authorisation = customerAuthorisation === undefined ? {} : { customer_authorisation: customerAuthorisation };
  const owner = importSupplier === undefined ? {} : { import_supplier: importSupplier };
  const body = { ...requestIn(textIn(file)), ...authorisation, ...owner };
  const connection = await connect();
  const { batch_id: batchId } = await connection.send<{ batch_id: string }>('POST', POPULATE, body);
  if (!shown.json) printLine(`Accepted as batch ${batchId}`);
  else if (shown.watch === false) printJson({ batch_id: batchId });
  if (shown.watch !== false) await watch(connection, batchId, shown);
}

/** Works for suppliers and operators. */
function statusOf(connection: Connection, batch: string): Promise<Batch> {
  return connection.send('GET', pathOf(`${POPULATE}<batch>/`, { batch }));
}

/** Shows the progress until the batch has ended; a batch with errors ends the command with status 1. */
async function watch(connection: Connection, batchId: string, options: WatchOptions): Promise<void> {
  const progress = new ProgressLine(options);
  for (;;) {
    const batch = await statusOf(connection, batchId);
    if (batch.status !== 'IN_PROGRESS') {
      progress.keep(progressOf(batch));
      show(batch, options);
      const errored = total(batch.counts.errored);
      if (batch.status === 'CANCELLED') throw new CommandError('The batch was canceled.');
      if (errored > 0) throw new CommandError(`${errored} identifiers failed.`);
      return;
    }
    progress.show(progressOf(batch), JSON.stringify(batch.counts));
    await sleep(WATCH_MS);
  }
}

function show(batch: Batch, options: WatchOptions): void {
  if (options.json) return printJson(batch);
  printLine(`${batch.status}  ${progressOf(batch)}`);
  const { prms, pces } = batch.errored_requests;
  const errored = [...prms, ...pces];
  for (const { id, errored_reason: reason } of errored.slice(0, ERRORED_SHOWN)) printLine(`  ${id}  ${reason}`);
  if (total(batch.counts.errored) > ERRORED_SHOWN) {
    printLine(`  and ${total(batch.counts.errored) - ERRORED_SHOWN} more; --json shows the first hundred`);
  }
}

function progressOf({ counts, rate_per_second: rate, estimated_end: end }: Batch): string {
  const [accepted, pending] = [total(counts.accepted), total(counts.pending)];
  const bar = barOf(accepted === 0 ? 1 : (accepted - pending) / accepted);
  const time = end === null ? '' : `, until about ${end.slice(11, 19)} UTC`;
  const pace = pending > 0 ? `  ${rate}/s${time}` : '';
  return `${bar}  ${total(counts.imported)} imported, ${pending} pending, ${total(counts.errored)} errored of ${accepted}${pace}`;
}

function total({ prm_ids: prms, pce_ids: pces }: BatchView['counts']['accepted']): number {
  return prms + pces;
}

/** Reads JSON, or one identifier per line. `prm` or `pce` before it sets its kind; otherwise those that begin with GI are PCEs, and others PRMs. */
function requestIn(content: string): object {
  if (content.trimStart().startsWith('{')) {
    try {
      return JSON.parse(content) as object;
    } catch {
      throw new CommandError('The file is not valid JSON.', exitStatuses.usage);
    }
  }
  const request: { prm_ids: string[]; pce_ids: string[] } = { prm_ids: [], pce_ids: [] };
  for (const text of content.split('\n').map((one) => one.trim())) {
    if (text === '') continue;
    const [, kind, identifier = text] = /^(prm|pce)[\s,;:]+(\S+)$/i.exec(text) ?? [];
    const isPce = kind === undefined ? identifier.startsWith('GI') : kind.toLowerCase() === 'pce';
    (isPce ? request.pce_ids : request.prm_ids).push(identifier);
  }
  return request;
}
