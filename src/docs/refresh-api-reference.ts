import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run refresh:reference -- <version>`: replaces the script of the API reference page by another release of @scalar/api-reference. Only
 * one file of the package is needed, which would otherwise add 283 packages to every installation.
 */
const PACKAGE = '@scalar/api-reference';
const ASSETS = join(import.meta.dirname, '../openapi/assets');

const [version = ''] = readArguments({
  usage: 'npm run refresh:reference -- <version>',
  help: `Downloads <version> of ${PACKAGE} from the package registry and stores its browser script, version, license and checksum in src/openapi/assets.`,
  words: { least: 1, most: 1 },
});
const folder = mkdtempSync(join(tmpdir(), 'gangway-reference-'));
try {
  const archive = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, `${PACKAGE}@${version}`], {
    encoding: 'utf8',
  }).trim();
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', folder]);
  const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) as Record<string, string>;
  const script = readFileSync(join(folder, 'package/dist/browser/standalone.js'));
  writeFileSync(join(ASSETS, 'api-reference.js'), script);
  const sha256 = createHash('sha256').update(script).digest('hex');
  const description = { name: PACKAGE, version: manifest['version'], license: manifest['license'], sha256 };
  writeFileSync(join(ASSETS, 'api-reference.json'), `${JSON.stringify(description, null, 2)}\n`);
  process.stdout.write(`Stored ${PACKAGE} ${description.version} (${description.license}), ${script.length} bytes.\n`);
} finally {
  rmSync(folder, { recursive: true });
}
