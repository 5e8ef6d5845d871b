import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { CommandError, exitStatuses } from './command-error.ts';
import { openApiClient, type ApiClient } from './api-client.ts';
import { commandGroup, givenOnly, operatorCommand, pathOf, withExamples } from './operator-command.ts';
import { harmless, printJson, printLine, printOutline, printTable } from './output.ts';

interface ByList {
  prm_ids: number;
  pce_ids: number;
}

interface ListedBatch {
  batch_id: string;
  status: string;
  import_suppliers: string[];
  created_at: string;
  counts: { accepted: ByList; imported: ByList; pending: ByList; errored: ByList };
}

interface Batch extends ListedBatch {
  rate_per_second: number;
  estimated_end: string | null;
  errored_requests: { prms: { id: string; errored_reason: string }[]; pces: { id: string; errored_reason: string }[] };
}

interface PopulateOptions extends WatchOptions {
  customerAuthorisation?: true;
  importSupplier?: string;
}

interface WatchOptions {
  json?: true;
  watch?: boolean;
}

const POPULATE = '/v1/data-import/supply-point/populate/';
const WATCH_MS = 1_000;
/** Interval at which a log without a terminal repeats that the command is still watching. */
const REPEAT_MS = 60_000;
const BAR_WIDTH = 30;
const ERRORED_SHOWN = 10;

/** `supply-points populate|list|status|show|retry|cancel|retry-one`: supply points from the network operators. */
export function supplyPointsCommand(): Command {
  return commandGroup('supply-points', 'Supply points from the network operators', [
    populateCommand(),
    listCommand(),
    statusCommand(),
    retryCommand(),
    cancelCommand(),
    showCommand(),
    retryOneCommand(),
  ]);
}

function listCommand(): Command {
  return operatorCommand({
    usage: 'list',
    description: 'Show the newest batches: of the organization, or of all of them for an operator.',
    examples: ['supply-points list', 'supply-points list --limit 100 --json'],
    options: (command) => command.option('--limit <batches>', 'maximum number of batches, up to 100 (default 20)'),
    call: (client, { limit }: { limit?: string }): Promise<ListedBatch[]> =>
      client.call('GET', `${POPULATE}?${new URLSearchParams(givenOnly({ limit }) as Record<string, string>)}`),
    show: (batches) =>
      printTable(
        batches,
        {
          BATCH: (one) => one.batch_id,
          CREATED: (one) => one.created_at,
          STATUS: (one) => one.status,
          ACCEPTED: (one) => total(one.counts.accepted),
          PENDING: (one) => total(one.counts.pending),
          ERRORED: (one) => total(one.counts.errored),
          'IMPORT SUPPLIERS': (one) => one.import_suppliers.join(', '),
        },
        'There are no batches.',
      ),
  });
}

function retryCommand(): Command {
  return operatorCommand({
    usage: 'retry <batch>',
    description: 'Retry all failed and deferred identifiers of a batch.',
    examples: ['supply-points retry <batch_id>'],
    call: (client, batch: string): Promise<{ retried: number }> =>
      client.call('POST', `population-batches/${pathOf(batch, 'retry')}`),
    show: ({ retried }) => printLine(`${retried} identifiers will be requested again.`),
  });
}

function cancelCommand(): Command {
  return operatorCommand({
    usage: 'cancel <batch>',
    description: 'Cancel a batch. Completed lookups are kept.',
    examples: ['supply-points cancel <batch_id>'],
    call: (client, batch: string): Promise<{ status: string; cancelled: number }> =>
      client.call('POST', `population-batches/${pathOf(batch, 'cancel')}`),
    show: ({ status, cancelled }) => printLine(`The batch is ${status}; ${cancelled} identifiers were still pending.`),
  });
}

function showCommand(): Command {
  return operatorCommand({
    usage: 'show <operator> <identifier>',
    description: 'Show the result for one supply point. The read is audited.',
    examples: ['supply-points show enedis 25014987360042'],
    call: (client, operator: string, identifier: string): Promise<object> =>
      client.call('GET', `supply-points/${pathOf(operator, identifier)}`),
    show: printOutline,
  });
}

function retryOneCommand(): Command {
  return operatorCommand({
    usage: 'retry-one <operator> <identifier>',
    description: 'Retry the lookup of one identifier, for all batches.',
    examples: ['supply-points retry-one enedis 25014987360042'],
    call: (client, operator: string, identifier: string): Promise<{ retried: number }> =>
      client.call('POST', `look-ups/${pathOf(operator, identifier, 'retry')}`),
    show: ({ retried }) =>
      printLine(
        retried > 0 ? 'The lookup is requested again.' : 'Nothing to retry: the lookup is pending or complete.',
      ),
  });
}

function populateCommand(): Command {
  const command = new Command('populate')
    .arguments('<file>')
    .description(
      'Send a file of identifiers and follow their lookups. The batch belongs to the import suppliers of the session.',
    )
    .option('--customer-authorisation', 'the customers have authorized the lookups')
    .option('--import-supplier <code>', 'import supplier of the batch')
    .option('--no-watch', 'exit when the batch is accepted')
    .option('--json', 'print the last response as one JSON line');
  return withExamples(command, [
    'supply-points populate points.json',
    'supply-points populate prms.txt --no-watch',
    'supply-points populate prms.txt --customer-authorisation',
  ]).action(async (file: string, options: PopulateOptions) => {
    const body = {
      ...requestIn(await contentOf(file)),
      ...givenOnly({ customer_authorisation: options.customerAuthorisation, import_supplier: options.importSupplier }),
    };
    const client = await openApiClient();
    const { batch_id: batchId } = await client.call<{ batch_id: string }>('POST', POPULATE, body);
    if (!options.json) printLine(`Accepted as batch ${batchId}`);
    else if (options.watch === false) printJson({ batch_id: batchId });
    if (options.watch !== false) await watch(client, batchId, options);
  });
}

function statusCommand(): Command {
  const command = new Command('status')
    .arguments('<batch>')
    .description('Show the progress of a batch.')
    .option('--watch', 'wait until it has ended')
    .option('--json', 'print the last response as one JSON line');
  return withExamples(command, ['supply-points status <batch_id> --watch']).action(
    async (batchId: string, options: WatchOptions) => {
      const client = await openApiClient();
      if (options.watch) return watch(client, batchId, options);
      show(await statusOf(client, batchId), options);
    },
  );
}

/** Works for suppliers and operators. */
function statusOf(client: ApiClient, batchId: string): Promise<Batch> {
  return client.call('GET', `${POPULATE}${pathOf(batchId)}`);
}

/** Shows the progress until the batch has ended; a batch with errors ends the command with status 1. */
async function watch(client: ApiClient, batchId: string, options: WatchOptions): Promise<void> {
  const isTerminal = process.stdout.isTTY === true && !options.json;
  let last = { counts: '', at: 0 };
  for (;;) {
    const batch = await statusOf(client, batchId);
    if (isTerminal) process.stdout.write(`\r\u001B[K${harmless(barOf(batch))}`);
    if (batch.status !== 'IN_PROGRESS') {
      if (isTerminal) process.stdout.write('\n');
      show(batch, options);
      const errored = total(batch.counts.errored);
      if (batch.status === 'CANCELLED') throw new CommandError('The batch was canceled.');
      if (errored > 0) throw new CommandError(`${errored} identifiers failed.`, exitStatuses.failed);
      return;
    }
    const counts = JSON.stringify(batch.counts);
    if (!isTerminal && !options.json && (counts !== last.counts || Date.now() - last.at >= REPEAT_MS)) {
      printLine(barOf(batch));
      last = { counts, at: Date.now() };
    }
    await sleep(WATCH_MS);
  }
}

function show(batch: Batch, options: WatchOptions): void {
  if (options.json) return printJson(batch);
  printLine(`${batch.status}  ${barOf(batch)}`);
  const { prms, pces } = batch.errored_requests;
  const errored = [...prms, ...pces];
  for (const { id, errored_reason: reason } of errored.slice(0, ERRORED_SHOWN)) printLine(`  ${id}  ${reason}`);
  if (total(batch.counts.errored) > ERRORED_SHOWN) {
    printLine(`  and ${total(batch.counts.errored) - ERRORED_SHOWN} more; --json shows the first hundred`);
  }
}

function barOf({ counts, rate_per_second: rate, estimated_end: end }: Batch): string {
  const [accepted, imported, pending, errored] = [counts.accepted, counts.imported, counts.pending, counts.errored].map(
    total,
  ) as [number, number, number, number];
  const share = accepted === 0 ? 1 : (accepted - pending) / accepted;
  const done = Math.floor(share * BAR_WIDTH);
  const time = end === null ? '' : `, until about ${end.slice(11, 19)} UTC`;
  return `[${'#'.repeat(done)}${'.'.repeat(BAR_WIDTH - done)}] ${Math.floor(share * 100)} %  ${imported} imported, ${pending} pending, ${errored} errored of ${accepted}${pending > 0 ? `  ${rate}/s${time}` : ''}`;
}

function total({ prm_ids: prms, pce_ids: pces }: ByList): number {
  return prms + pces;
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, exitStatuses.usage);
  }
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
  for (const line of content
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const [, kind, identifier = line] = /^(prm|pce)[\s,;:]+(\S+)$/i.exec(line) ?? [];
    const isPce = kind === undefined ? identifier.startsWith('GI') : kind.toLowerCase() === 'pce';
    (isPce ? request.pce_ids : request.prm_ids).push(identifier);
  }
  return request;
}
