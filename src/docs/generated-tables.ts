import { differenceReasonTable, eventTypeTable, notAskedTable } from './code-tables.ts';
import { operationBodies } from './operation-bodies.ts';
import { metricsTable } from './metrics-table.ts';
import { limitTable, magicKindTable, magicPointTable, magicWordTable, partyTable } from './party-tables.ts';
import { settingsTables } from './settings-table.ts';

/** Every table of docs/ that is generated from the code, by its name in the page. */
export const generatedTables = new Map<string, () => string | Promise<string>>([
  ['bodies', operationBodies],
  ['reasons of differences', differenceReasonTable],
  ['reasons not to ask', notAskedTable],
  ['types of events', eventTypeTable],
  ['settings', settingsTables],
  ['metrics', metricsTable],
  ['outside parties', partyTable],
  ['limits of calls', limitTable],
  ['payment vendor words', magicWordTable],
  ['network operator kinds', magicKindTable],
  ['industry switch points', magicPointTable],
]);

/** A table between its two marks. */
const MARKED = /(<!-- table: ([\w ]+), by npm run docs -->\n)[\s\S]*?(\n<!-- end of table -->)/g;

/** Names of the tables that a page has places for. */
export function tablesIn(page: string): string[] {
  return [...page.matchAll(MARKED)].map(([, , name]) => name!);
}

/**
 * Fills the places of a page with the tables as the code has them now. The rest of the page stays as it is.
 * @throws Error for a name that no table has
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
  return page.replace(MARKED, (_place, begin: string, name: string, end: string) => begin + tables.get(name)! + end);
}
