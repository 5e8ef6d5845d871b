import { compilePayloadChecks } from '../platform/validation/compile-payload.ts';
import { runProcess } from './run-process.ts';
import { startApi } from './start-api.ts';

// The HTTP API alone; a worker process does the durable work.
await runProcess('api', async (context) => {
  compilePayloadChecks();
  const http = await startApi(context);
  context.log.info({ url: http.url }, 'API listens');
  return [http];
});
