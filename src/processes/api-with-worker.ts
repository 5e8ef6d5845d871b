import { runProcess } from './run-process.ts';
import { startInterface } from './start-api.ts';
import { startImportsWorker } from './start-workers.ts';

// Interface and worker on one connection to Temporal, which makes creations start without a hop: what `up` runs.
await runProcess('gangway', async (context) => {
  const worker = await startImportsWorker(context);
  const http = await startInterface(context);
  context.log.info({ url: http.url }, 'interface listens');
  return [http, worker];
});
