import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { codeOf, filesUnder, textOf } from '../tidy/project-files.ts';
import { workflowVersions, type WorkflowVersion } from './workflow-versions.ts';

/** Workflow and patches of a recorded history. */
interface Recorded {
  name: string;
  workflow: string;
  patches: string[];
}

const FOLDER = 'test/replay/histories';
const recorded = readdirSync(join(import.meta.dirname, 'histories')).map((file) => readRecorded(file));

function readRecorded(file: string): Recorded {
  const { events } = JSON.parse(textOf(`${FOLDER}/${file}`)) as { events: any[] };
  const patches = events
    .map(({ markerRecordedEventAttributes: marker }) => marker)
    .filter((marker) => marker?.markerName === 'core_patch')
    .flatMap((marker) => Object.values<any>(marker.details).flatMap(({ payloads }) => payloads))
    .map(({ data }) => (JSON.parse(Buffer.from(data, 'base64').toString()) as { id: string }).id);
  return {
    name: file.replace('.json', ''),
    workflow: events[0].workflowExecutionStartedEventAttributes.workflowType.name,
    patches: [...new Set(patches)].sort(),
  };
}

/** The ids of `patched` in the code of the workflows. */
function patchesInCode(): string[] {
  const code = filesUnder('workflows').map(codeOf).join('\n');
  return [...code.matchAll(/\bpatched\('([^']+)'\)/g)].map(([, id]) => id!);
}

const titleOf = ({ workflow, patches }: Pick<WorkflowVersion, 'workflow' | 'patches'>) =>
  [workflow, ...patches.map((patch) => `with ${patch}`)].join(' ');

/** One sentence for each version, history or patch that does not match the list. */
function findUncovered(histories: readonly Recorded[], versions: readonly WorkflowVersion[]): string[] {
  const named = new Map(versions.flatMap((version) => version.histories.map((name) => [name, version] as const)));
  const gone = [...named]
    .filter(([name]) => !histories.some((history) => history.name === name))
    .map(
      ([name, version]) =>
        `${FOLDER}/${name}.json is gone, which shows ${titleOf(version)}: runs of it may be open, so bring it back from git. Only when no installation has one left, take it from workflow-versions.ts as well.`,
    );
  const unknown = histories.flatMap((history) => {
    const version = named.get(history.name);
    if (version && titleOf(version) === titleOf(history)) return [];
    return `${FOLDER}/${history.name}.json shows ${titleOf(history)}: name it there in workflow-versions.ts.`;
  });
  const uncovered = patchesInCode()
    .filter((id) => {
      const known = versions.filter(({ patches }) => patches.includes(id)).map(({ workflow }) => workflow);
      return !versions.some(({ workflow, patches }) => known.includes(workflow) && !patches.includes(id));
    })
    .map(
      (id) =>
        `patched('${id}') has no histories of both its sides, before it and with it: record them by record-histories.ts and name them in workflow-versions.ts.`,
    );
  return [...gone, ...unknown, ...uncovered];
}

test('each listed version of a workflow is covered by its histories', () => {
  expect(findUncovered(recorded, workflowVersions)).toEqual([]);
  expect(patchesInCode().length).toBeGreaterThan(0);
});

test('each workflow has a listed version', () => {
  const workflows = [...codeOf('workflows/index.ts').matchAll(/export \{ (\w+)/g)].map(([, name]) => name!);
  expect(workflows.length).toBeGreaterThan(0);
  expect([...new Set(workflowVersions.map(({ workflow }) => workflow))].sort()).toEqual(workflows.sort());
});

test.each(recorded.map(({ name }) => name))('reports one missing history without %s', (name) => {
  const left = recorded.filter((history) => history.name !== name);
  expect(findUncovered(left, workflowVersions)).toEqual([
    expect.stringContaining(`${FOLDER}/${name}.json is gone, which shows`),
  ]);
});

test('reports a removed version whose patch is still in the code, with each of its histories', () => {
  const before = workflowVersions.filter(({ patches }) => patches.length === 0);
  expect(findUncovered(recorded, before)).toEqual([
    ...recorded
      .filter(({ patches }) => patches.length > 0)
      .map((history) => expect.stringContaining(`${history.name}.json shows ${titleOf(history)}`)),
    ...patchesInCode().map((id) => expect.stringContaining(`patched('${id}') has no histories of both its sides`)),
  ]);
});

test('reports a history under the wrong version', () => {
  const [limited] = recorded.filter(({ patches }) => patches.length > 0) as [Recorded];
  const swapped = workflowVersions.map((version) =>
    version.patches.length > 0 ? { ...version, patches: ['another'] } : version,
  );
  expect(findUncovered([limited], swapped)).toContainEqual(expect.stringContaining(`${limited.name}.json shows`));
});

test('stores a history as one line', () => {
  const long = recorded.filter(({ name }) => textOf(`${FOLDER}/${name}.json`).trimEnd().includes('\n'));
  expect(long.map(({ name }) => name)).toEqual([]);
});
