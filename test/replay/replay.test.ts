import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundle } from '@temporalio/worker';
import { createLog } from '../../src/platform/log.ts';
import { bundleWorkflows } from '../../src/platform/temporal/run-worker.ts';
import { installTemporalRuntime } from '../../src/platform/temporal/temporal-runtime.ts';
import { TRACE_HEADER } from '../../src/vocabulary/trace-header.ts';

const FOLDER = join(import.meta.dirname, 'histories');
const names = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
const historyOf = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));

beforeAll(() => {
  installTemporalRuntime(createLog({ level: 'silent', process: 'test' }));
});

async function replay(
  workflowBundle: WorkflowBundle,
  read: (name: string) => unknown = historyOf,
): Promise<Map<string, Error | undefined>> {
  const errors = new Map<string, Error | undefined>();
  const histories = names.map((name) => ({ workflowId: name, history: read(name) }));
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    errors.set(workflowId, error);
  }
  return errors;
}

test('continues runs of all earlier versions with the current workflows', async () => {
  const errors = await replay(await bundleWorkflows());
  expect(errors).toEqual(new Map(names.map((name) => [name, undefined])));
  expect(names.length).toBeGreaterThanOrEqual(14);
});

test('replays the same with a trace', async () => {
  const carried = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const payload = {
    metadata: { encoding: Buffer.from('json/plain').toString('base64') },
    data: Buffer.from(JSON.stringify(carried)).toString('base64'),
  };
  const errors = await replay(await bundleWorkflows(), (name) => {
    const history = historyOf(name) as { events: { workflowExecutionStartedEventAttributes?: object }[] };
    Object.assign(history.events[0]!.workflowExecutionStartedEventAttributes!, {
      header: { fields: { [TRACE_HEADER]: payload } },
    });
    return history;
  });
  expect(errors).toEqual(new Map(names.map((name) => [name, undefined])));
});

/** Changes of workflows behind `patched`. */
const patches = [
  {
    patch: 'wakes-outlast-pages',
    // The run slept as long as its pages returned; the current code opens a page again.
    before: ['look-up-supply-points.woken'],
    since: ['look-up-supply-points.looks-again'],
  },
  {
    patch: 'releases-lost-pages',
    // The run slept after it was woken; the current code releases lost pages first.
    before: ['look-up-supply-points.woken'],
    since: ['look-up-supply-points.releases'],
  },
];

test.each(patches)('fails to replay runs from before $patch without `patched`', async ({ patch, before, since }) => {
  const bundle = await bundleWorkflows();
  const unguarded = bundle.code.replace(new RegExp(`\\(0,[\\w$]+\\.patched\\)\\('${patch}'\\)`), 'true');
  expect(unguarded).not.toBe(bundle.code);
  const errors = await replay({ ...bundle, code: unguarded });
  const refused = [...errors]
    .filter(([, error]) => error !== undefined)
    .map(([name, error]) => `${name}: ${error!.name}`);
  // Newer runs contain a marker that code without `patched` does not create.
  expect(refused.sort()).toEqual([...before, ...since].map((name) => `${name}: DeterminismViolationError`).sort());
});

test('fails to replay a workflow with a renamed activity', async () => {
  const bundle = await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, 'changed-workflows.ts'),
    logger: new DefaultLogger('ERROR'),
  });
  const errors = await replay(bundle);
  expect([...errors.keys()].sort()).toEqual([...names].sort());
  expect([...errors].filter(([, error]) => error?.name !== 'DeterminismViolationError').map(([name]) => name)).toEqual(
    [],
  );
});

test('no history contains the name of the recording machine', () => {
  for (const name of names) expect(readFileSync(join(FOLDER, `${name}.json`), 'utf8')).not.toMatch(/\d+@/);
});
