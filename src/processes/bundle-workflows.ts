import { writeFile } from 'node:fs/promises';
import { bundleWorkflows } from '../platform/temporal/run-worker.ts';
import { readArguments } from '../platform/read-arguments.ts';

// Writes the workflow code of this release to a file, so that workers need not bundle it at startup (WORKFLOW_BUNDLE):
// node src/processes/bundle-workflows.ts <file>

const [path = ''] = readArguments({
  usage: 'node src/processes/bundle-workflows.ts <file>',
  help: 'Writes the workflow code of this release to <file>; workers whose setting WORKFLOW_BUNDLE names it start sooner.',
  words: { least: 1, most: 1 },
});
const { code } = await bundleWorkflows();
await writeFile(path, code);
