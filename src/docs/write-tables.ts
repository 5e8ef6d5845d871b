import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../platform/read-arguments.ts';
import { clientTypes } from './client-types.ts';
import { fillTables, tablesIn } from './generated-tables.ts';
import { publishedDocument } from './published-document.ts';

// `npm run docs`: writes the generated tables in docs/, and the types of the client in TypeScript. `npm test` fails if they are outdated.
readArguments({
  usage: 'npm run docs',
  help: 'Writes the tables that pages of docs/ take from the code, and the types of the client in TypeScript; names each file.',
});
const root = join(import.meta.dirname, '../..');
for (const path of globSync('docs/**/*.md', { cwd: root })) {
  const page = readFileSync(join(root, path), 'utf8');
  if (tablesIn(page).length > 0) replace(path, await fillTables(page));
}
replace('clients/typescript/src/api.ts', await clientTypes(publishedDocument('suppliers')));

function replace(path: string, content: string): void {
  const file = join(root, path);
  const isFresh = existsSync(file) && readFileSync(file, 'utf8') === content;
  process.stdout.write(`${isFresh ? 'fresh  ' : 'written'} ${path}\n`);
  if (!isFresh) writeFileSync(file, content);
}
