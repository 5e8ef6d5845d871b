import { connect, type Socket } from 'node:net';

// Opens connections to a service and keeps them open, like a hostile client. A separate process, so that it has its own
// descriptors. connection-flood.ts starts and stops it. Run: TARGET=http://127.0.0.1:8080 COUNT=2000
// FROM=127.0.0.2,127.0.0.3 SENDS='GET / HT' node test/support/idle-connections.ts

const { hostname, port } = new URL(process.env['TARGET'] as string);
const count = Number(process.env['COUNT']);
const sends = process.env['SENDS'] ?? '';
const addresses = process.env['FROM']?.split(',') ?? [undefined];
/** Number of concurrent connection attempts; less than the accept queue of a service. */
const ON_THE_WAY_MAX = 64;

const open = new Set<Socket>();
let ended = 0;
let begun = 0;

/** Resolves when the connection is open or rejected. */
function openOne(localAddress: string | undefined): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({
      port: Number(port),
      host: hostname,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    socket.on('error', () => {});
    socket.once('connect', () => {
      open.add(socket);
      socket.resume();
      if (sends !== '') socket.write(sends);
      resolve();
    });
    socket.once('close', () => {
      open.delete(socket);
      ended += 1;
      resolve();
    });
  });
}

async function connectAll(): Promise<void> {
  while (begun < count) {
    begun += 1;
    await openOne(addresses[begun % addresses.length]);
  }
}

process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.({ open: open.size, ended }));
await Promise.all(Array.from({ length: ON_THE_WAY_MAX }, connectAll));
process.send?.({ open: open.size, ended });
