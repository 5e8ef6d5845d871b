import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { filesUnder, ROOT, textOf } from './project-files.ts';

// The release scripts, on a clone with the current files: version, changelog, tag, notes, bill of materials, checksums.

const VERSION = '99.1.0';
const NOTES = '### Added\n\n- A change that users notice.';
let folder: string;
let clone: string;
const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8', stdio: 'pipe' });
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gangway-release-'));
  clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone], { stdio: 'pipe' });
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT });
  for (const path of tracked.toString().split('\0').filter(Boolean)) {
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(clone, path));
    else rmSync(join(clone, path), { force: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');
  writeFileSync(
    join(clone, 'CHANGELOG.md'),
    changelog.replace(/^## \[Unreleased\].*\n/m, `## [Unreleased]\n\n${NOTES}\n\n## [0.0.1] - 2026-01-01\n`),
  );
  git('config', 'user.name', 'Release');
  git('config', 'user.email', 'release@gangway.example');
  // The link of the packages is no folder, so .gitignore does not cover it.
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'test: current files');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Without the tools of `npm run check:clients`, which downloads generators. */
const NO_TOOLS = { PYTHON: '/none', MVN: '/none', GO: '/none' };

function run(program: string, ...args: string[]) {
  const env = { ...process.env, ...NO_TOOLS };
  return spawnSync(process.execPath, [join(clone, program), ...args], { cwd: clone, encoding: 'utf8', env });
}
const release = (version: string) => run('src/processes/make-release.ts', version);
const inClone = (path: string) => readFileSync(join(clone, path), 'utf8');

test.each<[string, string, string]>([
  ['no version', 'next', '"next" is not a version such as 0.2.0.'],
  ['a lower version', '0.0.9', '0.0.9 is lower than the current version'],
])('refuses %s, and changes nothing', (_what, version, sentence) => {
  expect(release(version)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(sentence) });
  expect(git('status', '--porcelain')).toBe('');
});

test('refuses uncommitted changes', () => {
  writeFileSync(join(clone, 'README.md'), 'changed');
  expect(release(VERSION)).toMatchObject({ status: 1, stderr: expect.stringContaining('uncommitted changes') });
  git('checkout', '--quiet', 'README.md');
});

test('writes the version, dates the changelog, commits and tags with the notes', () => {
  const { status, stderr } = release(VERSION);
  expect({ status, skipped: stderr.match(/^NOT RUN: no client for \w+/gm) }).toEqual({
    status: 0,
    skipped: ['Python', 'Java', 'Go'].map((language) => `NOT RUN: no client for ${language}`),
  });
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s').trim()).toBe(`release: ${VERSION}`);
  expect(git('tag', '--list', '--format=%(contents)').trim()).toBe(`gangway ${VERSION}\n\n${NOTES}`);
  expect(inClone('CHANGELOG.md')).toMatch(
    new RegExp(`^## \\[Unreleased\\]\n\n## \\[${VERSION}\\] - \\d{4}-\\d\\d-\\d\\d\n\n### Added`, 'm'),
  );
  const lock = JSON.parse(inClone('package-lock.json'));
  const versions = [JSON.parse(inClone('package.json')).version, lock.version, lock.packages[''].version];
  expect(new Set(versions)).toEqual(new Set([VERSION]));
  expect(inClone('Dockerfile')).toContain(`image.version=${VERSION}\n`);
  const tags = filesUnder('deploy/kubernetes')
    .filter((path) => path.endsWith('kustomization.yaml'))
    .flatMap((path) => [...inClone(path).matchAll(/newTag: (\S+)/g)].map(([, tag]) => tag));
  expect(tags.length).toBeGreaterThan(1);
  expect(new Set(tags)).toEqual(new Set([VERSION]));
  expect(inClone('deploy/helm/gangway/Chart.yaml')).toMatch(
    new RegExp(`^version: ${VERSION}\nappVersion: ${VERSION}$`, 'm'),
  );
});

test('refuses a tag that exists, and a release without changes', () => {
  expect(release(VERSION)).toMatchObject({ status: 1, stderr: expect.stringContaining(`The tag v${VERSION} exists.`) });
  expect(release('99.2.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('[Unreleased]') });
});

test('writes the files of a release, with checksums that fit', () => {
  const files = join(folder, 'files');
  const image = 'registry.example/gangway@sha256:0';
  expect(run('src/processes/write-release-files.ts', files, `--image=${image}`)).toMatchObject({
    status: 0,
    stderr: '',
  });
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: files, encoding: 'utf8' });
  expect(checked.trim().split('\n')).toEqual(
    [
      'alerts.yml',
      'dashboard.json',
      `gangway-cli-${VERSION}.tgz`,
      `gangway-client-${VERSION}.tgz`,
      `gangway_client-${VERSION}.tar.gz`,
      'licences.md',
      'notes.md',
      'objectives.yml',
      'openapi-operators.json',
      'openapi-suppliers.json',
      'openapi.json',
      'sbom.cdx.json',
    ].map((name) => expect.stringMatching(new RegExp(`^${name}: `))),
  );
  expect(readFileSync(join(files, 'notes.md'), 'utf8')).toBe(`${NOTES}\n\nImage: \`${image}\`\n`);
  const bill = JSON.parse(readFileSync(join(files, 'sbom.cdx.json'), 'utf8'));
  expect(bill.metadata.component).toMatchObject({ name: 'gangway', version: VERSION });
  const packed = execFileSync('tar', ['tzf', join(files, `gangway-cli-${VERSION}.tgz`)], { encoding: 'utf8' });
  expect(packed.trim().split('\n').toSorted()).toEqual(
    [
      'LICENSE',
      'README.md',
      'dist/count-chunk.js',
      'dist/count-records-thread.js',
      'dist/gangway.js',
      'package.json',
    ].map((name) => `package/${name}`),
  );
  const client = (name: string, ...words: string[]) =>
    execFileSync('tar', [...words, '--file', join(files, name)], { encoding: 'utf8' });
  const listed = client(`gangway-client-${VERSION}.tgz`, '--list');
  for (const name of ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']) {
    expect(listed).toContain(`package/${name}\n`);
  }
  const root = `gangway_client-${VERSION}`;
  const project = client(`${root}.tar.gz`, '--extract', '--to-stdout', `${root}/pyproject.toml`);
  expect(project).toContain(`version = "${VERSION}"\n`);
});

test('names the same license in LICENSE, package.json and the OpenAPI document', () => {
  expect(textOf('LICENSE')).toMatch(/^Proprietary\.[\s\S]*SPDX-License-Identifier: LicenseRef-Proprietary\n$/);
  const { license, files } = JSON.parse(textOf('package.json'));
  expect(license).toBe('SEE LICENSE IN LICENSE');
  expect(files.filter((path: string) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(textOf('src/openapi/openapi-document.ts')).toContain(
    "license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }",
  );
});

test('names existing scripts in the workflows, and existing paths in CODEOWNERS', () => {
  const workflows = filesUnder('.github/workflows').map(textOf).join('\n');
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  const called = [...workflows.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(called.filter((name) => !(name in scripts))).toEqual([]);
  const programs = [...workflows.matchAll(/run: (\.ci\/\S+)/g)].map(([, path]) => path!);
  expect(programs).toEqual(['.ci/run', '.ci/check-contract']);
  const owned = [...textOf('.github/CODEOWNERS').matchAll(/^\/([\w./-]+) /gm)].map(([, path]) => path!);
  expect(owned.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

const actionlint = process.env['ACTIONLINT'] ?? 'actionlint';
if (spawnSync(actionlint, ['-version']).error === undefined) {
  test('actionlint finds no fault in the workflows', () => {
    const { status, stdout } = spawnSync(actionlint, ['-no-color'], { cwd: ROOT, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
} else {
  process.stderr.write(
    'NOT RUN: actionlint is not on PATH, so the workflows are not validated. Install it with Go, or set ACTIONLINT.\n',
  );
}
