import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run pack:cli [-- <folder>]`: packs the suppliers' command line as dist/gangway-cli-<version>.tgz. It contains the entry and its
 * imports, without types, and depends on the packages that these files import.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'src/processes/supplier-commands.ts');
const PACKAGE = 'gangway-cli';
/** The first release with zstd. */
const NODE = '>=22.15';
/** Imports that remain when types are removed. */
const IMPORTS = /(\bfrom\s+|\bimport\s+)'([^']+)'/g;

const [wanted = join(ROOT, 'dist')] = readArguments({
  usage: 'npm run pack:cli [-- <folder>]',
  help: 'Makes the command line of suppliers as a package, gangway-cli-<version>.tgz in <folder>; dist unless given.',
  words: { least: 0, most: 1 },
});
const folder = resolve(wanted);
const content = join(folder, PACKAGE);
rmSync(content, { recursive: true, force: true });

const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
};
const packages = new Set<string>();
const written = new Set<string>();
writeModule(ENTRY);
writeFileSync(join(content, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
writeFileSync(join(content, 'README.md'), readFileSync(join(ROOT, 'docs/suppliers/import-jobs.md')));
// The package has no scripts for npm to run.
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
  cwd: content,
  encoding: 'utf8',
});
process.stdout.write(`${join(folder, packed.trim())}\n`);

/** Writes a module without its types, and the modules that it imports. */
function writeModule(path: string): void {
  if (written.has(path)) return;
  written.add(path);
  const code = stripTypeScriptTypes(readFileSync(path, 'utf8'));
  for (const [, , name = ''] of code.matchAll(IMPORTS)) {
    if (name.startsWith('.')) writeModule(resolve(dirname(path), name));
    else if (!name.startsWith('node:')) packages.add(name);
  }
  const target = inPackage(path);
  mkdirSync(dirname(target), { recursive: true });
  const hashBang = path === ENTRY ? '#!/usr/bin/env node\n' : '';
  writeFileSync(target, hashBang + code.replace(IMPORTS, (whole) => whole.replace(/\.ts'$/, ".js'")), {
    mode: path === ENTRY ? 0o755 : 0o644,
  });
}

function inPackage(path: string): string {
  return join(content, relative(join(ROOT, 'src'), path).replace(/\.ts$/, '.js'));
}

function manifest(): object {
  const dependencies = [...packages].toSorted().map((name) => {
    const version = root.dependencies[name];
    if (version === undefined) throw new Error(`${name} is imported but not a dependency in package.json`);
    return [name, version];
  });
  return {
    name: PACKAGE,
    version: root.version,
    description: 'Command line of gangway for suppliers: import a migration, and follow it',
    type: 'module',
    bin: { gangway: relative(content, inPackage(ENTRY)) },
    dependencies: Object.fromEntries(dependencies),
    engines: { node: NODE },
  };
}
