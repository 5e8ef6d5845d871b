import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { audiences } from '../openapi/openapi-document.ts';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run check:clients [-- <folder>]`: generates clients for Python, Java and Go from the published OpenAPI documents, with the generators
 * that most people use, and compiles them. It needs the network. A language whose tools are missing is skipped, and named on standard error.
 */
const VERSIONS = {
  'openapi-python-client': '0.29.1',
  'openapi-generator-cli': '7.25.0',
  'oapi-codegen': 'v2.8.2',
} as const;

const WRITE_DOCUMENT = resolve(import.meta.dirname, '../docs/write-openapi.ts');

const [wanted] = readArguments({
  usage: 'npm run check:clients [-- <folder>]',
  help: 'Generates clients for Python, Java and Go from the OpenAPI documents, and compiles them. Keeps them in <folder> if it is given. Downloads the generators. Programs are python3, mvn and go, or those that PYTHON, MVN and GO name.',
  words: { least: 0, most: 1 },
});
const folder = wanted === undefined ? mkdtempSync(join(tmpdir(), 'gangway-clients-')) : resolve(wanted);
mkdirSync(folder, { recursive: true });
const { PYTHON: python = 'python3', MVN: maven = 'mvn', GO: go = 'go' } = process.env;

interface Language {
  name: string;
  /** A command that succeeds if the tools are installed. */
  needs: readonly [program: string, ...words: string[]];
  remedy: string;
  /** Downloads the generator to a folder; returns the function that generates a client and compiles it. */
  prepare(tools: string): (document: string, target: string) => void;
}

const languages: readonly Language[] = [
  {
    name: 'Python',
    needs: [python, '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11))'],
    remedy: 'Install Python 3.11 or later with its module venv, or set PYTHON.',
    prepare: (tools) => {
      run([python, '-m', 'venv', tools]);
      const inTools = (name: string) => join(tools, 'bin', name);
      run([inTools('pip'), 'install', '--quiet', `openapi-python-client==${VERSIONS['openapi-python-client']}`]);
      return (document, target) => {
        const config = join(tools, 'config.json');
        writeFileSync(config, JSON.stringify({ content_type_overrides: NDJSON_AS_BYTES, post_hooks: [] }));
        const words = [
          '--path',
          document,
          '--output-path',
          target,
          '--config',
          config,
          '--meta',
          'none',
          '--fail-on-warning',
        ];
        run([inTools('openapi-python-client'), 'generate', ...words]);
        // Imports every module, because Python compiles names that do not exist.
        run([inTools('python'), '-c', IMPORT_ALL, join(target, '..'), target.split('/').at(-1)!]);
      };
    },
  },
  {
    name: 'Java',
    needs: [maven, '--version'],
    remedy: 'Install a JDK 17 or later and Maven, or set MVN.',
    prepare: (tools) => {
      const name = 'openapi-generator-cli';
      const artifact = `org.openapitools:${name}:${VERSIONS[name]}`;
      run([
        maven,
        '--batch-mode',
        '--quiet',
        'dependency:copy',
        `-Dartifact=${artifact}`,
        `-DoutputDirectory=${tools}`,
      ]);
      const jar = readdirSync(tools).find((file) => file.endsWith('.jar'))!;
      return (document, target) => {
        const options = ['--generator-name', 'java', '--library', 'native', '--input-spec', document];
        run(['java', '-jar', join(tools, jar), 'generate', ...options, '--output', target]);
        run([maven, '--batch-mode', '--quiet', '--file', join(target, 'pom.xml'), 'compile']);
      };
    },
  },
  {
    name: 'Go',
    needs: [go, 'version'],
    remedy: 'Install Go 1.25 or later, or set GO.',
    prepare: () => (document, target) => {
      const generator = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${VERSIONS['oapi-codegen']}`;
      const inTarget = { cwd: target };
      mkdirSync(target, { recursive: true });
      run([go, 'mod', 'init', 'gangway.example/client'], inTarget);
      run(
        [go, 'run', generator, '-generate', 'types,client', '-package', 'client', '-o', 'client.go', document],
        inTarget,
      );
      run([go, 'mod', 'tidy'], inTarget);
      run([go, 'build', './...'], inTarget);
    },
  },
];

/** openapi-python-client does not know the type. docs/suppliers/clients.md shows this setting. */
const NDJSON_AS_BYTES = { 'application/x-ndjson': 'application/octet-stream' };
const IMPORT_ALL = `
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
package = importlib.import_module(sys.argv[2])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
`;

try {
  const documents = ['whole', ...audiences].map((name) => {
    const file = join(folder, `${name}.json`);
    run([process.execPath, WRITE_DOCUMENT, file, ...(name === 'whole' ? [] : [name])]);
    return [name, file] as const;
  });
  for (const { name: language, needs, remedy, prepare } of languages) {
    const [program, ...words] = needs;
    if (spawnSync(program, words, { stdio: 'ignore' }).status !== 0) {
      process.stderr.write(
        `NOT RUN: no client for ${language} was generated, because ${program} is missing or too old. ${remedy}\n`,
      );
      continue;
    }
    const tools = join(folder, language.toLowerCase());
    mkdirSync(tools, { recursive: true });
    const generate = prepare(join(tools, 'tools'));
    for (const [name, document] of documents) {
      const target = join(tools, name);
      rmSync(target, { recursive: true, force: true });
      generate(document, target);
      process.stdout.write(`${language}: a client of the document "${name}" compiles.\n`);
    }
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  if (wanted === undefined) rmSync(folder, { recursive: true, force: true });
}

/** @throws Error with what the program printed, if it fails */
function run([program, ...words]: readonly [string, ...string[]], { cwd = folder } = {}): void {
  try {
    execFileSync(program, words, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}\nThis command failed: ${program} ${words.join(' ')}`, { cause: error });
  }
}
