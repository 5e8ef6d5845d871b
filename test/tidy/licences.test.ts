import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, textOf } from './project-files.ts';

interface Locked {
  packages: Record<string, { version?: string; license?: string; dev?: boolean; devOptional?: boolean }>;
}

/** Licences that ask for no more than to be named. */
const ASK_LITTLE = [
  ...['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', 'BlueOak-1.0.0', 'Unlicense'],
  ...['CC-BY-4.0', 'Apache-2.0 AND MIT', '(AFL-2.1 OR BSD-3-Clause)', '(MIT OR CC0-1.0)'],
];
/** Their manifests name none; the files that come with them do (The Unlicense). */
const TOLD_BY_FILE = ['node_modules/unionfs'];

const { packages } = JSON.parse(textOf('package-lock.json')) as Locked;
const inProduction = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);

test('what runs in production may be used and handed on', () => {
  expect(inProduction.length).toBeGreaterThan(100);
  const others = inProduction.filter(
    ([path, { license }]) => !TOLD_BY_FILE.includes(path) && !ASK_LITTLE.includes(license ?? ''),
  );
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('the list of packages has each with version and licence', () => {
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
    // Not what only tests and tools need.
    expect(licences).not.toMatch(/^\| (?:jest|oxlint) \|/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
