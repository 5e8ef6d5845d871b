import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run pack:cli [-- <folder>]`: packs the suppliers' command line as dist/gangway-cli-<version>.tgz. It contains the entry and its
 * imports in a few modules, and depends on the packages that these import.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = 'gangway-cli';
/** The first release with zstd. */
const NODE = '>=22.15';
const PROGRAM = 'dist/gangway.js';

const [wanted = join(ROOT, 'dist')] = readArguments({
  usage: 'npm run pack:cli [-- <folder>]',
  help: 'Makes the command line of suppliers as a package, gangway-cli-<version>.tgz in <folder>; dist unless given.',
  words: { least: 0, most: 1 },
});
const folder = resolve(wanted);
const content = join(folder, PACKAGE);
rmSync(content, { recursive: true, force: true });
mkdirSync(content, { recursive: true });

const bundle = await rolldown({
  input: {
    gangway: join(import.meta.dirname, 'supplier-commands.ts'),
    // Started by the name of its file.
    'count-records-thread': join(ROOT, 'src/cli/count-records-thread.ts'),
  },
  platform: 'node',
  external: /^[^./]/,
  logLevel: 'warn',
});
const { output } = await bundle.write({
  dir: join(content, 'dist'),
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  banner: ({ name }) => (name === 'gangway' ? '#!/usr/bin/env node' : ''),
  keepNames: true,
});
await bundle.close();

const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
  repository: object;
  dependencies: Record<string, string>;
};
const chunks = new Set(output.map(({ fileName }) => fileName));
const imported = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []));
const dependencies = imported
  .filter((name) => !name.startsWith('node:') && !chunks.has(name))
  .filter((name, index, all) => all.indexOf(name) === index)
  .toSorted()
  .map((name) => {
    const version = root.dependencies[name];
    if (version === undefined) throw new Error(`${name} is imported but not a dependency in package.json`);
    return [name, version];
  });
const manifest = {
  name: PACKAGE,
  version: root.version,
  description: 'Command line of gangway for suppliers: import a migration, and follow it',
  license: root.license,
  repository: root.repository,
  files: ['dist'],
  type: 'module',
  bin: { gangway: PROGRAM },
  dependencies: Object.fromEntries(dependencies) as Record<string, string>,
  engines: { node: NODE },
};
writeFileSync(join(content, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(join(content, 'README.md'), readFileSync(join(ROOT, 'docs/suppliers/command-line.md')));
copyFileSync(join(ROOT, 'LICENSE'), join(content, 'LICENSE'));
// The package has no scripts for npm to run.
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
  cwd: content,
  encoding: 'utf8',
});
process.stdout.write(`${join(folder, packed.trim())}\n`);
