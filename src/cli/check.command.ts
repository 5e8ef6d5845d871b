import { Option, type Command } from 'commander';
import type { CheckPage } from '../check/check.schema.ts';
import type { JsonOption } from './command.ts';
import { exitStatuses } from './command-error.ts';
import type { Connection } from './connection.ts';
import { operatorCommand } from './operator-command.ts';
import { printAnswer, printLine, printTable } from './output.ts';

/** The mismatches of one kind. */
interface Counted {
  kind: string;
  count: number;
  mended: number;
  /** The number that `--mend` cannot correct: people have to decide. */
  decisions: number;
  examples: string[];
  what_to_do: string;
}

const EXAMPLES_MAX = 3;
const RESULT = {
  type: 'object',
  required: ['looked_at', 'found'],
  properties: {
    looked_at: { type: 'integer', description: 'Number of compared items.' },
    found: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'count', 'mended', 'decisions', 'examples', 'what_to_do'],
        properties: {
          kind: { type: 'string' },
          count: { type: 'integer' },
          mended: { type: 'integer' },
          decisions: { type: 'integer', description: 'Number that needs a decision of a person.' },
          examples: { type: 'array', items: { type: 'string' } },
          what_to_do: { type: 'string' },
        },
      },
    },
  },
};

/** `check [--mend]`: whether Postgres and Temporal agree about open work. */
export const checkCommand = (): Command =>
  operatorCommand({
    usage: 'check',
    description:
      'Compare open work in Postgres with the runs in Temporal; run it after restoring either from a backup. Exit status 1: mismatches remain that --mend can correct; 5: only mismatches remain that need a decision.',
    examples: ['check', 'check --mend'],
    options: [new Option('--mend', 'correct mismatches: start missing runs, end orphaned runs, free slots')],
    prints: { schema: RESULT },
    act: check,
  });

async function check({ mend, json }: JsonOption & { mend?: true }, connect: () => Promise<Connection>): Promise<void> {
  const result = await walk(await connect(), mend === true);
  printAnswer(result, json, show);
  const { found } = result;
  if (found.some(({ count, mended, decisions }) => count > mended + decisions)) process.exitCode = exitStatuses.failed;
  else if (found.some(({ decisions }) => decisions > 0)) process.exitCode = exitStatuses.decisions;
}

/** Reads all pages and counts the mismatches by kind. */
async function walk(connection: Connection, isRepairing: boolean) {
  const found = new Map<string, Counted>();
  let compared = 0;
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: CheckPage = isRepairing
      ? await connection.send('POST', 'checks/mend/', { cursor })
      : await connection.send('GET', `checks/${cursor === undefined ? '' : `?cursor=${cursor}`}`);
    compared += page.looked_at;
    for (const { kind, what_to_do: advice, outcome, mendable, subject } of page.mismatches) {
      const counted = found.get(kind) ?? { kind, count: 0, mended: 0, decisions: 0, examples: [], what_to_do: advice };
      counted.count += 1;
      if (outcome === 'mended') counted.mended += 1;
      if (!mendable) counted.decisions += 1;
      if (counted.examples.length < EXAMPLES_MAX) counted.examples.push(subject);
      found.set(kind, counted);
    }
    cursor = page.next_cursor;
  }
  return { looked_at: compared, found: [...found.values()] };
}

function show({ looked_at: compared, found }: Awaited<ReturnType<typeof walk>>): void {
  printTable(
    found,
    { FOUND: 'kind', COUNT: 'count', MENDED: 'mended', EXAMPLES: (one) => one.examples.join(', ') },
    'Postgres and Temporal agree.',
  );
  for (const one of found) printLine(`\n${one.kind}\n  ${one.what_to_do}`);
  printLine(`\nItems compared: ${compared}.`);
}
