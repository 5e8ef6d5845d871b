import { Command, InvalidArgumentError } from 'commander';
import { type Manifest, MANIFEST_TYPE } from '../manifest/manifest.schema.ts';
import { CANONICALIZATION } from '../reconciliation/compare/hashed-lines.rules.ts';
import { importJobKinds, type ImportJobKind } from '../vocabulary/import-jobs.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { withExamples } from './command.ts';
import { assertReplaceable, replaceFile } from './files.ts';
import { countFiles, findRecordFiles } from './manifest-files.ts';
import { counted, printLine } from './output.ts';
import { programVersion } from './program-version.ts';
import { barOf, ProgressLine } from './progress.ts';

const ABOUT = `
Works without the service. Files are NDJSON, plain or compressed with gzip or zstd, as for \`import\` and \`migrate\`; the name of each begins with its
kind: ${membersOf(importJobKinds).join(', ')}. A folder stands for all such files in it.
The manifest has the records and SHA-256 of each file, totals by kind, and the digests of each field that certificates contain.
Records are not validated: import them with --goal validate for that.`;

interface ManifestOptions {
  out?: string;
  kind?: ImportJobKind;
  supplier?: string;
  json?: true;
}

/** `manifest <files...>`: writes the totals and digests of files, without the service. */
export function manifestCommand(program: string): Command {
  const command = new Command('manifest')
    .description('Write the totals and digests of files as a manifest, without the service.')
    .argument('<files...>', 'files or folders; - is standard input')
    .option('--out <file>', 'write the manifest to this file instead of standard output')
    .option('--kind <kind>', 'kind of files whose names do not begin with it', kindIn)
    .option('--supplier <code>', 'import supplier of accounts that do not name it')
    .addHelpText('after', ABOUT)
    .action(writeManifest);
  return withExamples(command, program, [
    'manifest export/ --out manifest.json',
    'manifest accounts.ndjson.gz transactions-*.ndjson.zst --supplier ACME --out manifest.json',
  ]);
}

function kindIn(text: string): ImportJobKind {
  const kind = membersOf(importJobKinds).find((name) => name === text.toLowerCase().replaceAll('_', '-'));
  if (kind !== undefined) return kind;
  throw new InvalidArgumentError(`It is one of ${membersOf(importJobKinds).join(', ')}.`);
}

async function writeManifest(paths: string[], { out, kind, supplier }: ManifestOptions): Promise<void> {
  if (out !== undefined) assertReplaceable(out);
  const files = findRecordFiles(paths, kind);
  // Standard output has the manifest.
  const progress = new ProgressLine(out === undefined ? { onStandardError: true } : {});
  const { files: read, kinds } = await countFiles(files, { importSupplier: supplier }, (file, share) =>
    progress.show(share === undefined ? `Reading ${file}` : `${barOf(share)} ${file}`, file),
  );
  progress.keep();
  const manifest: Manifest = {
    type: MANIFEST_TYPE,
    canonicalization: CANONICALIZATION,
    ...(supplier !== undefined && { import_supplier: supplier }),
    created_by: `gangway ${programVersion()}`,
    files: read,
    kinds,
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  await replaceFile(out, [text]);
  for (const { name, records } of read) printLine(`${name}: ${counted(records, 'record')}`);
  printLine(`Written to ${out}.`);
}
