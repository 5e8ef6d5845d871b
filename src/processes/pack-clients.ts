import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run pack:clients [-- <folder>]`: packs the client libraries: gangway-client-<version>.tgz for npm, and gangway_client-<version>.tar.gz
 * for pip.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const TYPESCRIPT = join(ROOT, 'clients/typescript');
const PYTHON = join(ROOT, 'clients/python');

const [wanted = join(ROOT, 'dist')] = readArguments({
  usage: 'npm run pack:clients [-- <folder>]',
  help: 'Makes packages of the client libraries for TypeScript and Python in <folder>; dist unless given.',
  words: { least: 0, most: 1 },
});
const folder = resolve(wanted);
mkdirSync(folder, { recursive: true });
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
process.stdout.write(`${packForNpm()}\n${packForPip()}\n`);

/** Compiled, because Node runs no TypeScript below node_modules. */
function packForNpm(): string {
  const content = join(folder, 'typescript-client');
  rmSync(content, { recursive: true, force: true });
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '--project', TYPESCRIPT, '--outDir', join(content, 'dist')]);
  const manifest = JSON.parse(readFileSync(join(TYPESCRIPT, 'package.json'), 'utf8')) as Record<string, unknown>;
  delete manifest['private'];
  const exported = { types: './dist/index.d.ts', default: './dist/index.js' };
  const published = { ...manifest, version, exports: exported, files: ['dist'] };
  writeFileSync(join(content, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  addTexts(content);
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const packed = execFileSync('npm', words, { cwd: content, encoding: 'utf8' });
  rmSync(content, { recursive: true });
  return join(folder, packed.trim());
}

function packForPip(): string {
  const name = `gangway_client-${version}`;
  const content = join(folder, name);
  rmSync(content, { recursive: true, force: true });
  cpSync(PYTHON, content, { recursive: true, filter: (path) => !path.includes('__pycache__') });
  const project = readFileSync(join(content, 'pyproject.toml'), 'utf8');
  writeFileSync(join(content, 'pyproject.toml'), project.replace(/^version = .*$/m, `version = "${version}"`));
  addTexts(content);
  execFileSync('tar', ['--create', '--gzip', '--file', `${name}.tar.gz`, name], { cwd: folder });
  rmSync(content, { recursive: true });
  return join(folder, `${name}.tar.gz`);
}

function addTexts(content: string): void {
  copyFileSync(join(ROOT, 'docs/suppliers/clients.md'), join(content, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(content, 'LICENSE'));
}
