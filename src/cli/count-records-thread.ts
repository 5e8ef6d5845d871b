import { parentPort, workerData } from 'node:worker_threads';
import { chunkCounter } from './count-chunk.ts';
import type { CountRequest } from './count-records.ts';

/** The program of a thread that counts chunks of lines. */
const counter = chunkCounter((workerData as { importSupplier?: string }).importSupplier);
parentPort!.on('message', (request: CountRequest) => {
  parentPort!.postMessage(
    request === 'end' ? counter.kinds() : counter.count(Buffer.from(request.chunk.buffer as ArrayBuffer), request.kind),
  );
});
