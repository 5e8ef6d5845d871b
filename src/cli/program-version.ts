import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the package that contains this file: gangway, or the package for suppliers. */
export function programVersion(): string {
  const manifest = findPackageJSON('..', import.meta.url);
  return manifest === undefined
    ? 'unknown'
    : (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
