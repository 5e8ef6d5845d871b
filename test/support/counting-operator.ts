import { startSgeSimulator } from '../../src/vendors/network-operator/sge.simulator.ts';

// A network operator as a separate process, which counts by its own clock, and knows when it was late itself:  node
// test/support/counting-operator.ts On the message 'report' it answers {calls, late}: times of calls, and the periods
// in which a call may have waited unread.

const TICK_MS = 2;
const LATE_MS = 8;
const simulator = await startSgeSimulator({ recordCalls: true, latencyMs: Number(process.env['LATENCY_MS'] ?? 5) });
const late: [from: number, to: number][] = [];
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  if (now - last > TICK_MS + LATE_MS) late.push([last, now]);
  last = now;
}, TICK_MS);
process.on('message', () => process.send?.({ calls: simulator.calls.map(({ at }) => at), late }));
process.on('disconnect', () => process.exit(0));
process.send?.({ url: simulator.url });
