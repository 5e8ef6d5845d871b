import { runProcess } from './run-process.ts';
import { startWorkers } from './start-workers.ts';

// The durable work alone: workflows, activities and the dispatcher.
await runProcess('worker', async (context) => {
  const worker = await startWorkers(context);
  context.log.info('worker runs');
  return [worker];
});
