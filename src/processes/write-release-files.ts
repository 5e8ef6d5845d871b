import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { audiences } from '../openapi/openapi-document.ts';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run release:files [-- <folder> --image=<image>]`: writes what a release publishes beside the image to a folder: the notes, the OpenAPI document, the
 * bill of materials with licenses, the suppliers' command line, the client libraries, the rules for Prometheus, and the checksums of all.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const IMAGE = '--image=';
const [wanted = join(ROOT, 'dist/release')] = readArguments({
  usage: 'npm run release:files [-- <folder> --image=<image>]',
  help: 'Writes the files of the release to <folder>, dist/release unless given: notes, OpenAPI document, bill of materials, command line, client libraries, checksums. The notes name the image if it is given.',
  options: [IMAGE],
  words: { least: 0, most: 1 },
});
const folder = resolve(wanted);
mkdirSync(folder, { recursive: true });

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const notes = changelog.split(`## [${version}]`)[1]?.split('\n').slice(1).join('\n').split(/^## /m)[0]?.trim();
if (!notes) {
  process.stderr.write(
    `CHANGELOG.md has no section [${version}]. Make the release first: npm run release -- ${version}\n`,
  );
  process.exit(1);
}
const image = process.argv.find((argument) => argument.startsWith(IMAGE))?.slice(IMAGE.length);
writeFileSync(join(folder, 'notes.md'), `${notes}\n${image ? `\nImage: \`${image}\`\n` : ''}`);
run('src/docs/write-openapi.ts', join(folder, 'openapi.json'));
for (const audience of audiences) run('src/docs/write-openapi.ts', join(folder, `openapi-${audience}.json`), audience);
run('src/processes/list-packages.ts', folder);
run('src/processes/pack-supplier-commands.ts', folder);
run('src/processes/pack-clients.ts', folder);
// The content of the package, unpacked.
rmSync(join(folder, 'gangway-cli'), { recursive: true });
for (const name of ['alerts.yml', 'objectives.yml', 'dashboard.json']) {
  writeFileSync(join(folder, name), readFileSync(join(ROOT, 'deploy/monitoring', name)));
}
const files = readdirSync(folder)
  .filter((name) => name !== 'SHA256SUMS')
  .toSorted();
const sums = files.map((name) => {
  const sum = createHash('sha256').update(readFileSync(join(folder, name)));
  return `${sum.digest('hex')}  ${name}\n`;
});
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`${[...files, 'SHA256SUMS'].map((name) => join(folder, name)).join('\n')}\n`);

function run(program: string, ...words: string[]): void {
  execFileSync(process.execPath, [join(ROOT, program), ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
}
