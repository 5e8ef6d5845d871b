import { writeFile } from 'node:fs/promises';
import { bundleWorkflows } from '../platform/temporal/run-worker.ts';

// Writes the workflow code of this release to a file, so that workers need not make it when they start (WORKFLOW_BUNDLE):
//   node src/processes/bundle-workflows.ts <file>

const [, , path] = process.argv;
if (path === undefined) {
  process.stderr.write('The file to write is missing. Example: node src/processes/bundle-workflows.ts bundle.js\n');
  process.exit(2);
}
const { code } = await bundleWorkflows();
await writeFile(path, code);
