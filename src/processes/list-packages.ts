import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run sbom [-- <folder>]`: lists the packages in the image, according to package-lock.json and the Dockerfile, in the folder dist: a
 * bill of materials (CycloneDX), and a table of package, version and license.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const [wanted = join(ROOT, 'dist')] = readArguments({
  usage: 'npm run sbom [-- <folder>]',
  help: 'Writes which packages the image holds, as a bill of materials (CycloneDX) and as a table, to <folder>; dist unless given.',
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
  metadata: { component: { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** `npm sbom --omit dev` also omits packages that tools and production share, so these are read from the lock file. */
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string; dev?: boolean; optional?: boolean; devOptional?: boolean }>;
};
const whole = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
) as Bill;
// npm takes the name of the folder.
whole.metadata.component.name = 'gangway';
const inProduction = new Set(
  Object.entries(packages).flatMap(([path, { version, dev, optional, devOptional }]) =>
    dev === true || optional === true || devOptional === true || path.startsWith('node_modules/@swc/')
      ? []
      : [`${path.split('node_modules/').at(-1)}@${version}`],
  ),
);
/** The script of the API reference page, which is part of the sources (`npm run refresh:reference`). */
const reference = JSON.parse(readFileSync(join(ROOT, 'src/openapi/assets/api-reference.json'), 'utf8')) as {
  name: string;
  version: string;
  license: string;
  sha256: string;
};
const components = [
  ...whole.components.filter(({ name, version }) => inProduction.has(`${name}@${version}`)),
  {
    type: 'library',
    'bom-ref': `${reference.name}@${reference.version}`,
    name: reference.name,
    version: reference.version,
    purl: `pkg:npm/${encodeURIComponent('@')}${reference.name.slice(1)}@${reference.version}`,
    hashes: [{ alg: 'SHA-256', content: reference.sha256 }],
    licenses: [{ license: { id: reference.license } }],
  },
];
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
