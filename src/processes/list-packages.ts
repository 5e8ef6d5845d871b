import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run sbom [-- <folder>]`: writes which packages run in production, as package-lock.json has them, to the folder dist:
 * a bill of materials (CycloneDX), and a table of package, version and licence.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const [wanted = join(ROOT, 'dist')] = readArguments({
  usage: 'npm run sbom [-- <folder>]',
  help: 'Writes which packages run in production, as a bill of materials (CycloneDX) and as a table, to <folder>; dist unless given.',
  words: { least: 0, most: 1 },
});
const folder = resolve(wanted);

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
}

interface Bill {
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** `npm sbom --omit dev` also leaves out what tools and production share, so that is told from the lock file. */
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string; dev?: boolean }>;
};
const whole = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
) as Bill;
const inProduction = new Set(
  Object.entries(packages).flatMap(([path, { version, dev }]) =>
    dev === true ? [] : [`${path.split('node_modules/').at(-1)}@${version}`],
  ),
);
const components = whole.components.filter(({ name, version }) => inProduction.has(`${name}@${version}`));
const left = new Set(whole.components.map((one) => one['bom-ref']));
for (const { 'bom-ref': ref } of components) left.delete(ref);
const dependencies = whole.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => !left.has(on)) }));

mkdirSync(folder, { recursive: true });
write('sbom.cdx.json', `${JSON.stringify({ ...whole, components, dependencies }, null, 2)}\n`);
write(
  'licences.md',
  `# Licences\n\n| package | version | licence |\n|---|---|---|\n${components.map(lineOf).toSorted().join('')}`,
);

function lineOf({ name, version, licenses = [] }: Component): string {
  const named = licenses.map((one) =>
    'expression' in one ? one.expression : (one.license.id ?? one.license.name ?? 'not named'),
  );
  return `| ${name} | ${version} | ${named.join(', ') || 'not named'} |\n`;
}

function write(name: string, text: string): void {
  const path = join(folder, name);
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}
