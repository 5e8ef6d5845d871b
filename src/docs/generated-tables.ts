import { eventTypes } from '../vocabulary/events.ts';
import { notQueriedSentences, reasonSentences } from '../vocabulary/reconciliation.ts';
import { operatorOutputs, supplierOutputs } from './command-output-table.ts';
import { code, table } from './markdown.ts';
import { operationBodies } from './operation-bodies.ts';
import { metricsTable } from './metrics-table.ts';
import { limitTable, magicKindTable, magicPointTable, magicWordTable, partyTable } from './party-tables.ts';
import { settingsTables } from './settings-table.ts';

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
