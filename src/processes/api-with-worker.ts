import { compilePayloadChecks } from '../platform/validation/compile-payload.ts';
import { runProcess } from './run-process.ts';
import { startApi } from './start-api.ts';
import { startWorkers } from './start-workers.ts';

// API and worker as one process on one connection to Temporal, so that creations start without an extra hop. `up` runs this.
const does = 'Runs API and worker as one process, until SIGTERM.';
await runProcess({ name: 'gangway', does }, async (context) => {
  const worker = await startWorkers(context);
  compilePayloadChecks();
  const http = await startApi(context);
  context.log.info({ url: http.url }, 'API listens');
  return [http, worker];
});
