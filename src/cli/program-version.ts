import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the package that this file is in: gangway, or the one for suppliers. */
export function programVersion(): string {
  const manifest = findPackageJSON('..', import.meta.url);
  return manifest === undefined
    ? 'unknown'
    : (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
