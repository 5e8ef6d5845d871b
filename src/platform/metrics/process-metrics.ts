import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/**
 * Basic metrics of a process: build, processor, memory, event loop.
 * @returns a function that stops sampling the event loop
 */
export function observeProcess(meter: Meter, buildId: string): () => void {
  meter
    .createObservableGauge('build.info', { description: '1, with release and commit of the process.' })
    .addCallback((result) => result.observe(1, { 'build.id': buildId }));
  const cpu = meter.createObservableCounter('process.cpu.time', { description: 'Processor time used.', unit: 's' });
  const memory = meter.createObservableGauge('process.memory.usage', {
    description: 'Memory that the system counts for the process.',
    unit: 'By',
  });
  const heap = meter.createObservableGauge('v8js.memory.heap.used', { description: 'Heap in use.', unit: 'By' });
  const uptime = meter.createObservableGauge('process.uptime', { description: 'Time since the start.', unit: 's' });
  const delay = meter.createObservableGauge('nodejs.eventloop.delay.p99', {
    description: 'Delay of the event loop since it was last read.',
    unit: 's',
  });
  const longest = meter.createObservableGauge('nodejs.eventloop.delay.max', {
    description: 'Longest delay of the event loop since it was last read.',
    unit: 's',
  });
  const eventLoop = monitorEventLoopDelay({ resolution: 20 });
  eventLoop.enable();
  meter.addBatchObservableCallback(
    (result) => {
      const { user, system } = process.cpuUsage();
      const { rss, heapUsed } = process.memoryUsage();
      result.observe(cpu, user / MICROSECONDS, { 'cpu.mode': 'user' });
      result.observe(cpu, system / MICROSECONDS, { 'cpu.mode': 'system' });
      result.observe(memory, rss);
      result.observe(heap, heapUsed);
      result.observe(uptime, process.uptime());
      // Before the first sample the percentile is NaN.
      result.observe(delay, eventLoop.count === 0 ? 0 : eventLoop.percentile(99) / NANOSECONDS);
      result.observe(longest, eventLoop.count === 0 ? 0 : eventLoop.max / NANOSECONDS);
      eventLoop.reset();
    },
    [cpu, memory, heap, uptime, delay, longest],
  );
  return () => {
    eventLoop.disable();
  };
}
