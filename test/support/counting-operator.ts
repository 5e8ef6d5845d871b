import { startSgeSimulator } from '../../src/vendors/network-operator/sge.simulator.ts';

// A simulated network operator as a separate process, which records calls by its own clock. On the message 'report' it
// sends {calls, late}: times of calls, and the periods in which a call may have waited unread. Run: node
// test/support/counting-operator.ts

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
