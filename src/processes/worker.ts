import { runProcess } from './run-process.ts';
import { startImportsWorker } from './start-workers.ts';

// The durable work alone: workflows, activities and the sweeper.
await runProcess('worker', async (context) => {
  const worker = await startImportsWorker(context);
  context.log.info('worker runs');
  return [worker];
});
