import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { readArguments } from '../platform/read-arguments.ts';

/*
 * `npm run release -- <version>`: makes a release of the current branch. Generates clients from the OpenAPI documents (check-clients.ts), writes
 * the version to every file that names it, dates the section of the changelog and starts a new one, commits, and tags `v<version>` with the
 * notes. Pushes nothing. docs/running/upgrades.md has the steps before and after. It works in the current folder, which npm sets.
 */
const [version = ''] = readArguments({
  usage: 'npm run release -- <version>',
  help: 'Makes a release: writes <version> to all files that name it, dates the changelog, commits, and tags. Pushes nothing.',
  words: { least: 1, most: 1 },
});
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const UNRELEASED = /^## \[Unreleased\].*\n/m;
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const notes = changelog.split(UNRELEASED)[1]?.split(/^## /m)[0]?.trim() ?? '';
refuseUnless(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version), `"${version}" is not a version such as 0.2.0.`);
refuseUnless(git('status', '--porcelain') === '', 'There are uncommitted changes. Commit or discard them.');
refuseUnless(git('tag', '--list', `v${version}`) === '', `The tag v${version} exists. Choose the next version.`);
refuseUnless(isAtLeast(version, manifest.version), `${version} is lower than the current version ${manifest.version}.`);
refuseUnless(notes !== '', 'The section [Unreleased] of CHANGELOG.md is empty. Describe the changes there.');

// Before any change. Prints what it checks.
execFileSync(process.execPath, ['src/processes/check-clients.ts'], { stdio: 'inherit' });

const day = new Date().toISOString().slice(0, 10);
replaceIn('CHANGELOG.md', UNRELEASED, `## [Unreleased]\n\n## [${version}] - ${day}\n`);
replaceIn('package.json', /^ {2}"version": ".*"/m, `  "version": "${version}"`);
// The version of the lock file, and that of the root package.
replaceIn('package-lock.json', /^ {2}"version": ".*"/m, `  "version": "${version}"`);
replaceIn('package-lock.json', /("": \{\n +"name": "gangway",\n +"version": )".*"/, `$1"${version}"`);
replaceIn('Dockerfile', /(org\.opencontainers\.image\.version=)\S+/, `$1${version}`);
for (const file of globSync('deploy/kubernetes/*/kustomization.yaml')) {
  if (readFileSync(file, 'utf8').includes('newTag:')) replaceIn(file, /(newTag: )\S+/, `$1${version}`);
}
replaceIn('deploy/helm/gangway/Chart.yaml', /^version: \S+/m, `version: ${version}`);
replaceIn('deploy/helm/gangway/Chart.yaml', /^appVersion: \S+/m, `appVersion: ${version}`);
git(
  'commit',
  '--all',
  '--quiet',
  '--message',
  `release: ${version}`,
  '--message',
  `Makes version ${version} of ${day}.`,
);
// Headings of the notes begin with #, which git would drop as comments.
git('tag', '--annotate', '--cleanup=verbatim', `v${version}`, '--message', `gangway ${version}\n\n${notes}\n`);
process.stdout.write(`Committed and tagged v${version}. Publish it: git push --follow-tags\n`);

function replaceIn(file: string, pattern: RegExp, text: string): void {
  const content = readFileSync(file, 'utf8');
  refuseUnless(pattern.test(content), `${file} has no place for the version (${pattern.source}).`);
  writeFileSync(file, content.replace(pattern, text));
}

function isAtLeast(wanted: string, current: string): boolean {
  return wanted === current || wanted.localeCompare(current, 'en', { numeric: true }) > 0;
}

function refuseUnless(isTrue: boolean, sentence: string): void {
  if (isTrue) return;
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
