import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../platform/read-arguments.ts';
import { fillTables, tablesIn } from './generated-tables.ts';

// `npm run docs`: writes the generated tables in docs/. `npm test` fails if they are outdated.
readArguments({
  usage: 'npm run docs',
  help: 'Writes the tables that pages of docs/ take from the code, and names each page.',
});
const root = join(import.meta.dirname, '../..');
for (const path of globSync('docs/**/*.md', { cwd: root })) {
  const page = readFileSync(join(root, path), 'utf8');
  if (tablesIn(page).length === 0) continue;
  const filled = await fillTables(page);
  process.stdout.write(`${filled === page ? 'fresh  ' : 'written'} ${path}\n`);
  if (filled !== page) writeFileSync(join(root, path), filled);
}
