import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { completionsOf } from '../../src/cli/completion.command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { runCommandHere, runSupplierCommandHere } from '../support/command-here.ts';
import { programFile } from '../support/program-file.ts';

const SHELLS = ['bash', 'zsh', 'fish'];
const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

let folder: string;
const scriptFile = (shell: string) => join(folder, `gangway.${shell}`);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gangway-completion-'));
  const main = await programFile('cli');
  writeFileSync(join(folder, 'gangway'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, { mode: 0o755 });
  for (const shell of SHELLS) {
    writeFileSync(scriptFile(shell), (await runCommandHere(['completion', shell], {})).stdout);
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const words = (...line: string[]) => completionsOf(createProgram(), line).map(({ word }) => word);

test.each<[string[], string[]]>([
  [['sup'], ['supplier', 'supply-points']],
  [
    ['supplier', ''],
    ['list', 'show', 'set', 'help'],
  ],
  [['supplier', 'set', 'ACME', '--sta'], ['--status']],
  [
    ['supplier', 'set', 'ACME', '--status', ''],
    ['Ongoing', 'Paused', 'Complete'],
  ],
  [['supplier', 'set', 'ACME', '--status', 'Paused', '--status'], []],
  [['supplier', 'set', ''], []],
  [['import', ''], []],
  [['import', '--failures', ''], []],
  [['completion', 'z'], ['zsh']],
  [['--ver'], ['--version']],
  [['unknown', ''], words('')],
])('completes %j from commands and options', (line, expected) => {
  expect(words(...line)).toEqual(expected);
});

test('offers all visible commands of suppliers', async () => {
  const { stdout } = await runSupplierCommandHere(['__complete', '--', ''], {});
  const offered = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[0]);
  expect(offered).toEqual(expect.arrayContaining(['import', 'migrate', 'waves', 'profile', 'doctor', 'completion']));
  expect(offered).not.toContain('__complete');
});

/** Runs lines of a shell with `gangway` on the path. */
const runShell = (shell: string, lines: string) =>
  execFileSync(shell, [...(shell === 'zsh' ? ['-f'] : []), '-c', lines], {
    encoding: 'utf8',
    env: { ...childEnvironment(), HOME: folder, PATH: `${folder}:${process.env['PATH']}` },
  })
    .split('\n')
    .filter((line) => line !== '');

test('the function for bash completes commands, options and values', () => {
  execFileSync('bash', ['-n', scriptFile('bash')]);
  const complete = (...line: string[]) =>
    runShell(
      'bash',
      `source ${scriptFile('bash')}; COMP_WORDS=(gangway ${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length}; _gangway; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  expect(complete('supplier', 's')).toEqual(['show', 'set']);
  expect(complete('supplier', 'set', 'ACME', '--status', 'P')).toEqual(['Paused']);
  expect(complete('import', '')).toEqual([]);
});

const others: Record<'zsh' | 'fish', string> = {
  zsh: `compdef() { :; }; _describe() { print -rl -- $found; }; _files() { :; }; source FILE; words=(gangway supplier s); CURRENT=3; _gangway`,
  fish: `source FILE; complete -C 'gangway supplier s'`,
};
test.each(Object.entries(others).filter(([shell]) => isInstalled(shell)))(
  'the function for %s completes commands with their descriptions',
  (shell, lines) => {
    execFileSync(shell, ['-n', scriptFile(shell)]);
    const separator = shell === 'zsh' ? ':' : '\t';
    const found = runShell(shell, lines.replace('FILE', scriptFile(shell)));
    expect(found.toSorted()).toEqual([
      `set${separator}Register an import supplier, or change the given settings of one.`,
      `show${separator}Show one import supplier with its options.`,
    ]);
  },
);
for (const shell of SHELLS.filter((one) => !isInstalled(one))) {
  process.stderr.write(`NOT RUN: ${shell} is not installed, so its completion script is not tested.\n`);
}
