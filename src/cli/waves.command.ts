import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { waveStatuses } from '../vocabulary/waves.ts';
import { changePlan } from './change-wave.ts';
import { commandGroup, commandOf, type CommandSpec, type JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection, Surroundings } from './connection.ts';
import { csvOf } from './csv-lines.ts';
import { replaceFile, textIn } from './files.ts';
import { LiveList } from './live-list.ts';
import { counted, printAnswer, printJsonLines, printLine, printTable } from './output.ts';
import { readManifest } from './sent-manifest.ts';
import { showWave } from './show-wave.ts';
import { decisionOf, hasWaveEnded, textOf } from './wave-decision.ts';
import {
  linesOfWave,
  listedWaveIn,
  pathOfWave,
  PRINTED_WAVE,
  readWave,
  statusOfWave,
  wavesPath,
  type ListedWave,
} from './wave-view.ts';

type Named = JsonOption & { wave: string };
type Explained = Named & { reason: string };

const WAVES = wavesPath({ isOperator: false });
const WATCH_MS = 1_000;
const WATCH = new Option('--watch', 'follow the wave until it has ended or waits for a person');
const REASON = new Option('--reason <text>', 'reason, recorded in the audit').makeOptionMandatory();

/** `waves list|show|change|rehearse|create|pause|resume|cancel|exclude|move|manifest|withdraw|numbers`: waves of accounts. */
export function wavesCommand(surroundings: Surroundings): Command {
  const commands = [...SPECS, numbers].map((spec) => commandOf(surroundings, spec));
  return commandGroup('waves', 'Waves: gates, rehearsal, creation, and members.', commands);
}

/** The same for operators, with `request-approval|request-withdrawal-approval|accept-differences|approve|decline|sign-off`. */
export function operatorWavesCommand(surroundings: Surroundings): Command {
  const commands = [...SPECS, ...DECISIONS, numbers].map((spec) => commandOf(surroundings, spec));
  return commandGroup('waves', 'Waves: gates, rehearsal, approval, creation, and members.', commands);
}

const list: CommandSpec = {
  usage: 'list',
  description: 'List the newest waves.',
  examples: ['waves list --supplier ACME', 'waves list --status CREATING'],
  options: [
    new Option('--supplier <code>', 'only waves of this import supplier'),
    new Option('--status <status>', 'only waves with this status').choices(Object.keys(waveStatuses)),
    new Option('--name <name>', 'only waves with this name'),
    new Option('--limit <waves>', 'maximum number of waves (default 20)'),
  ],
  prints: { operation: `GET ${WAVES}` },
  act: async ({ supplier, json, ...given }: JsonOption & Record<string, string | true | undefined>, connect) => {
    const connection = await connect();
    const wanted = { import_supplier: supplier, status: given['status'], name: given['name'], limit: given['limit'] };
    const sent = Object.entries(wanted).filter((one): one is [string, string] => typeof one[1] === 'string');
    const path = `${wavesPath(connection)}?${new URLSearchParams(sent)}`;
    const waves = (await connection.call<unknown[]>('GET', path)).map(listedWaveIn);
    printAnswer(waves, json === true, showWaves);
  },
};

const showWaves = (waves: readonly ListedWave[]) =>
  printTable(
    waves,
    {
      WAVE: 'wave_id',
      NAME: 'name',
      'IMPORT SUPPLIER': 'import_supplier',
      STATUS: statusOfWave,
      GATE: 'gate',
      ACCOUNTS: 'counts.accounts',
      CREATED: 'counts.created',
      PENDING: 'counts.pending',
      EXCLUDED: 'counts.excluded',
      FROM: 'plan.create_from',
    },
    'There is no wave yet.',
  );

const show: CommandSpec = {
  usage: 'show <wave>',
  description: 'Show a wave: its gates with evidence, counts, causes, approval, and the next decision.',
  examples: ['waves show <wave>', 'waves show <wave> --watch'],
  options: [WATCH],
  prints: PRINTED_WAVE,
  act: ({ wave, watch, json }: Named & { watch?: true }, connect) => showOrWatch(connect, wave, { watch, json }),
};

type WatchOptions = JsonOption & { watch?: true | undefined };

async function showOrWatch(
  connect: () => Promise<Connection>,
  waveId: string,
  { watch, json }: WatchOptions,
): Promise<void> {
  const connection = await connect();
  if (watch) return watchWave(connection, waveId, { json });
  const wave = await readWave(connection, waveId);
  printAnswer(wave, json, () => showWave(wave, connection.program));
}

/**
 * Shows the gates of a wave until it has ended or waits for a person.
 * @throws CommandError with the decision, or if the wave was canceled or withdrawn
 */
async function watchWave(connection: Connection, waveId: string, options: JsonOption): Promise<void> {
  const live = new LiveList(options);
  for (;;) {
    const wave = await readWave(connection, waveId);
    live.show(linesOfWave(wave));
    const decision = decisionOf(wave);
    if (decision !== undefined || hasWaveEnded(wave)) {
      live.keep();
      printAnswer(wave, options.json, () => decision?.isLast && printLine(textOf(decision, connection.program)));
      if (decision?.isLast || wave.status === 'SIGNED_OFF') return;
      if (decision === undefined) throw new CommandError(`The wave is ${wave.status}.`);
      throw new CommandError(textOf(decision, connection.program), exitStatuses.waits);
    }
    await sleep(WATCH_MS);
  }
}

/** A command that changes the status of a wave. */
const change = (
  verb: string,
  description: string,
  { isWatched = false, isExplained = false }: { isWatched?: boolean; isExplained?: boolean } = {},
): CommandSpec => ({
  usage: `${verb} <wave>`,
  description,
  examples: [`waves ${verb} <wave>${isExplained ? ' --reason "..."' : ''}`],
  options: [...(isWatched ? [WATCH] : []), ...(isExplained ? [REASON] : [])],
  prints: PRINTED_WAVE,
  act: async ({ wave, reason, watch, json }: Partial<Explained> & Named & WatchOptions, connect) => {
    const connection = await connect();
    const body = reason === undefined ? undefined : { reason };
    await connection.call('POST', pathOfWave(connection, wave, verb), body);
    if (watch) return watchWave(connection, wave, { json });
    const changed = await readWave(connection, wave);
    printAnswer(changed, json, () => showWave(changed, connection.program));
  },
});

const MEMBERS = [new Option('--file <path>', 'file with one external account number per line'), REASON];
type Members = Explained & { number: string[]; file?: string };

function accountsOf({ number: numbers, file }: Members): string[] {
  const lines = file === undefined ? [] : textIn(file).split('\n');
  return [...numbers, ...lines.map((line) => line.trim()).filter((line) => line !== '')];
}

const exclude: CommandSpec = {
  usage: 'exclude <wave> [number...]',
  description: 'Leave accounts out of a wave: by number, or all that are faulty now.',
  examples: [
    'waves exclude <wave> HOME-4711 --reason "follows in wave 4"',
    'waves exclude <wave> --faulty --reason "..."',
  ],
  options: [new Option('--faulty', 'all records that block a gate now'), ...MEMBERS],
  prints: { operation: `POST ${WAVES}<wave>/exclude/` },
  act: async ({ faulty, ...given }: Members & { faulty?: true }, connect) => {
    const accounts = accountsOf(given);
    if (accounts.length === 0 && !faulty) {
      throw new CommandError('Name accounts, or add --faulty or --file <path>.', exitStatuses.usage);
    }
    const connection = await connect();
    const body = {
      ...(accounts.length === 0 ? {} : { accounts }),
      ...(faulty ? { faulty } : {}),
      reason: given.reason,
    };
    const answer = await connection.call<{ excluded: number }>(
      'POST',
      pathOfWave(connection, given.wave, 'exclude'),
      body,
    );
    printAnswer(answer, given.json, ({ excluded }) => printLine(`${counted(excluded, 'record')} excluded.`));
  },
};

const move: CommandSpec = {
  usage: 'move <wave> [number...]',
  description: 'Move accounts of other waves to this one; they lose their rehearsal and approval.',
  examples: ['waves move <wave> HOME-4711 HOME-4712 --reason "supply starts a month later"'],
  options: MEMBERS,
  prints: { operation: `POST ${WAVES}<wave>/move/` },
  act: async (given: Members, connect) => {
    const accounts = accountsOf(given);
    if (accounts.length === 0) throw new CommandError('Name accounts, or add --file <path>.', exitStatuses.usage);
    const connection = await connect();
    const path = pathOfWave(connection, given.wave, 'move');
    const body = { accounts, reason: given.reason };
    const answer = await connection.call<{ moved: number; from: string[] }>('POST', path, body);
    printAnswer(answer, given.json, ({ moved, from }) => {
      printLine(`${counted(moved, 'account')} moved${from.length === 0 ? '' : ` from ${from.join(', ')}`}.`);
      if (moved < accounts.length) {
        printLine('The others belong to no other wave that is still prepared, or are created.');
      }
    });
  },
};

interface Preview {
  can_be_withdrawn: number;
  kept: number;
  obstacles: { code: string; accounts: number; examples: string[]; what_to_do: string }[];
  businesses: { can_be_withdrawn: number; kept: number };
}

const withdraw: CommandSpec = {
  usage: 'withdraw <wave>',
  description: 'Take the created accounts of a wave back: they become staged accounts again.',
  examples: [
    'waves withdraw <wave> --dry-run --reason "wrong month"',
    'waves withdraw <wave> --reason "wrong month" --watch',
  ],
  options: [
    new Option('--dry-run', 'only show what would be withdrawn, and what would be kept'),
    new Option('--kept <file>', 'follow it to its end, and write the accounts that it kept as NDJSON'),
    new Option('--businesses', 'also delete businesses that no other account uses'),
    WATCH,
    REASON,
  ],
  prints: [PRINTED_WAVE, { when: 'with `--dry-run`', operation: `POST ${WAVES}<wave>/withdraw/` }],
  act: async (
    {
      wave,
      reason,
      dryRun,
      businesses,
      kept,
      watch,
      json,
    }: Explained & WatchOptions & { dryRun?: true; businesses?: true; kept?: string },
    connect,
  ) => {
    if (dryRun && kept !== undefined) {
      throw new CommandError('A dry run lists examples only. Choose --dry-run or --kept.', exitStatuses.usage);
    }
    const connection = await connect();
    const path = pathOfWave(connection, wave, 'withdraw');
    if (dryRun) {
      const preview = await connection.call<Preview>('POST', path, { reason, dry_run: true });
      return printAnswer(preview, json, showPreview);
    }
    const body = { reason, ...(businesses && { withdraw_businesses: true }) };
    const { withdrawal_id: id } = await connection.call<{ withdrawal_id: string }>('POST', path, body);
    if (watch || kept !== undefined) {
      const withdrawal = withdrawalPath(connection, id);
      await watchWithdrawal(connection, wave, withdrawal, { json });
      if (kept !== undefined) await replaceFile(kept, await connection.download(`${withdrawal}kept/`));
      return;
    }
    const changed = await readWave(connection, wave);
    printAnswer(changed, json, () => showWave(changed, connection.program));
  },
};

const withdrawalPath = ({ isOperator }: Connection, withdrawalId: string) =>
  `/v1/${isOperator ? 'operations' : 'data-import'}/withdrawals/${withdrawalId}/`;

function showPreview({ can_be_withdrawn: withdrawn, kept, obstacles, businesses }: Preview): void {
  printLine(`${counted(withdrawn, 'account')} can be withdrawn, ${kept} would be kept.`);
  if (businesses.can_be_withdrawn > 0) {
    printLine(
      `No other account uses ${businesses.can_be_withdrawn} of their businesses; --businesses deletes them, too.`,
    );
  }
  printTable(
    obstacles,
    { CODE: 'code', ACCOUNTS: 'accounts', EXAMPLE: ({ examples }) => examples[0] ?? '', 'WHAT TO DO': 'what_to_do' },
    'There is no obstacle.',
  );
}

/** Shows the counts of a wave until its withdrawal has ended. */
async function watchWithdrawal(
  connection: Connection,
  waveId: string,
  withdrawal: string,
  options: JsonOption,
): Promise<void> {
  const live = new LiveList(options);
  for (;;) {
    // Read before the wave, whose status changes with the end of the withdrawal.
    const { status: progress } = await connection.call<{ status: string }>('GET', withdrawal);
    const wave = await readWave(connection, waveId);
    live.show(linesOfWave(wave));
    if (progress !== 'RUNNING') {
      live.keep();
      return printAnswer(wave, options.json, ({ status }) => printLine(`The wave is ${status}.`));
    }
    await sleep(WATCH_MS);
  }
}

const manifest: CommandSpec = {
  usage: 'manifest <wave> <file>',
  description: "Send the totals of the source, before the first job is started; with a supplier's key.",
  examples: ['waves manifest <wave> manifest.json'],
  prints: { operation: `PUT ${WAVES}<wave>/manifest/` },
  act: async ({ wave, file, json }: Named & { file: string }, connect) => {
    const body = readManifest(file);
    const connection = await connect();
    if (connection.isOperator) {
      throw new CommandError('Manifests are sent by suppliers. Use the API key of a supplier.', exitStatuses.usage);
    }
    const stored = await connection.call<{ sha256: string }>('PUT', pathOfWave(connection, wave, 'manifest'), body);
    printAnswer(stored, json, ({ sha256 }) => printLine(`The manifest ${sha256} is stored.`));
  },
};

const SPECS = [
  list,
  show,
  changePlan,
  change('rehearse', 'Rehearse a wave: create all accounts and roll them back.', { isWatched: true }),
  change('create', 'Create the accounts of a wave, or schedule it for the time of its plan.', { isWatched: true }),
  change('pause', 'Pause the creation of a wave; created accounts stay.'),
  change('resume', 'Resume a paused wave, or accept the result of its canary.', { isWatched: true }),
  change('cancel', 'Cancel a wave; created accounts stay, the others belong to no wave any more.'),
  exclude,
  move,
  manifest,
  withdraw,
];

const DECISIONS = [
  change('request-approval', 'Request the approval of a wave; another person decides.', { isExplained: true }),
  change('request-withdrawal-approval', 'Request the approval of the withdrawal of a wave; another person decides.', {
    isExplained: true,
  }),
  change('accept-differences', 'Accept the differences of a wave from its manifest.', { isExplained: true }),
  change('approve', 'Approve a wave that another person requested the approval of.', { isExplained: true }),
  change('decline', 'Decline a wave that another person requested the approval of.', { isExplained: true }),
  change('sign-off', 'Sign a wave off; it can no longer be changed.', { isExplained: true }),
];

const COLUMNS = ['external_account_number', 'service_account_number'];

const numbers: CommandSpec = {
  usage: 'numbers <wave>',
  description: "Print external and service number of each created account, as NDJSON; with a supplier's key.",
  examples: ['waves numbers <wave> --csv --output numbers.csv'],
  options: [
    new Option('--csv', 'as CSV with semicolons, for spreadsheets'),
    new Option('--output <file>', 'write to this file'),
  ],
  json: 'one JSON line per account (the default)',
  prints: { operation: `GET ${WAVES}<wave>/numbers/` },
  act: async ({ wave, csv, output, json }: Named & { csv?: true; output?: string }, connect) => {
    if (csv && json) throw new CommandError('Choose --csv or --json.', exitStatuses.usage);
    const connection = await connect();
    if (connection.isOperator) {
      throw new CommandError('Numbers are for suppliers. Use the API key of a supplier.', exitStatuses.usage);
    }
    const lines = await connection.download(pathOfWave(connection, wave, 'numbers'));
    if (output !== undefined) return replaceFile(output, csv ? csvOf(lines, COLUMNS) : lines);
    if (!csv) return printJsonLines(lines);
    for await (const line of csvOf(lines, COLUMNS)) process.stdout.write(line);
  },
};
