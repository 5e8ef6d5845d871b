import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { codeOf, filesUnder, textOf } from '../tidy/project-files.ts';
import { workflowVersions, type WorkflowVersion } from './workflow-versions.ts';

/** What a recorded history says of itself. */
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

/** The ids of `patched` in the workflows' code. */
function patchesInCode(): string[] {
  const code = filesUnder('workflows').map(codeOf).join('\n');
  return [...code.matchAll(/\bpatched\('([^']+)'\)/g)].map(([, id]) => id!);
}

const titleOf = ({ workflow, patches }: Pick<WorkflowVersion, 'workflow' | 'patches'>) =>
  [workflow, ...patches.map((patch) => `with ${patch}`)].join(' ');

/** One sentence for each version, history and patch that is not covered as the list says. */
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

test('each version of a workflow is covered by the histories that the list names', () => {
  expect(findUncovered(recorded, workflowVersions)).toEqual([]);
  expect(patchesInCode().length).toBeGreaterThan(0);
});

test('every workflow that there is has a version in the list', () => {
  const workflows = [...codeOf('workflows/index.ts').matchAll(/export \{ (\w+)/g)].map(([, name]) => name!);
  expect(workflows.length).toBeGreaterThan(0);
  expect([...new Set(workflowVersions.map(({ workflow }) => workflow))].sort()).toEqual(workflows.sort());
});

test.each(recorded.map(({ name }) => name))('without %s one sentence says what is missing', (name) => {
  const left = recorded.filter((history) => history.name !== name);
  expect(findUncovered(left, workflowVersions)).toEqual([
    expect.stringContaining(`${FOLDER}/${name}.json is gone, which shows`),
  ]);
});

test('a version that leaves the list while its patch stands in the code is missed, with each of its histories', () => {
  const before = workflowVersions.filter(({ patches }) => patches.length === 0);
  expect(findUncovered(recorded, before)).toEqual([
    ...recorded
      .filter(({ patches }) => patches.length > 0)
      .map((history) => expect.stringContaining(`${history.name}.json shows ${titleOf(history)}`)),
    ...patchesInCode().map((id) => expect.stringContaining(`patched('${id}') has no histories of both its sides`)),
  ]);
});

test('a history under the wrong version is named', () => {
  const [limited] = recorded.filter(({ patches }) => patches.length > 0) as [Recorded];
  const swapped = workflowVersions.map((version) =>
    version.patches.length > 0 ? { ...version, patches: ['another'] } : version,
  );
  expect(findUncovered([limited], swapped)).toContainEqual(expect.stringContaining(`${limited.name}.json shows`));
});

test('a history is one line', () => {
  const long = recorded.filter(({ name }) => textOf(`${FOLDER}/${name}.json`).trimEnd().includes('\n'));
  expect(long.map(({ name }) => name)).toEqual([]);
});
