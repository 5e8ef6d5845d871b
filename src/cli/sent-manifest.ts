import type { ManifestView } from '../import-jobs/manifest/manifest-state.rules.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { textIn } from './files.ts';
import { printLine, printTable } from './output.ts';

/**
 * Reads a manifest; the service validates it.
 * @throws CommandError if the file is not a JSON object
 */
export function readManifest(file: string): object {
  let manifest: unknown;
  try {
    manifest = JSON.parse(textIn(file));
  } catch (error) {
    if (error instanceof CommandError) throw error;
  }
  if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return manifest;
  throw new CommandError(`${file} is not a manifest: it is no JSON object.`, exitStatuses.usage);
}

const DIGEST_LENGTH = 64;
const SHOWN_LENGTH = 12;

/** Prints the totals in which records differ from a manifest. */
export function showManifest(manifest: ManifestView | null | undefined): void {
  if (!manifest) return;
  const { state, sha256, differences, accepted_reason: why } = manifest;
  printLine('');
  printLine(`Manifest ${sha256.slice(0, SHOWN_LENGTH)}: ${state}${why === null ? '' : `, accepted: ${why}`}.`);
  if (differences.length === 0) return;
  const shown = (value: string) => (value.length === DIGEST_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}...` : value);
  printTable(
    differences,
    {
      TOTAL: 'path',
      EXPECTED: ({ expected }) => shown(expected),
      RECEIVED: ({ received }) => shown(received),
      DIFFERENCE: ({ difference }) => difference ?? '-',
    },
    '',
  );
}
