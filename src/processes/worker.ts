import { runProcess } from './run-process.ts';
import { startWorkers } from './start-workers.ts';

const does = 'Runs the durable work alone, until SIGTERM: workflows, activities and the dispatcher.';
await runProcess({ name: 'worker', does }, async (context) => {
  const worker = await startWorkers(context);
  context.log.info('worker runs');
  return [worker];
});
