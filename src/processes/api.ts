import { compilePayloadChecks } from '../platform/validation/compile-payload.ts';
import { runProcess } from './run-process.ts';
import { startApi } from './start-api.ts';

const does = 'Runs the HTTP API alone, until SIGTERM; a worker process does the durable work.';
await runProcess({ name: 'api', does }, async (context) => {
  compilePayloadChecks();
  const http = await startApi(context);
  context.log.info({ url: http.url }, 'API listens');
  return [http];
});
