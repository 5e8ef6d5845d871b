import { parentPort, workerData } from 'node:worker_threads';
import { chunkCounter, type CountOptions } from './count-chunk.ts';
import type { CountRequest } from './count-records.ts';

/** The program of a thread that counts chunks of lines. */
const counter = chunkCounter(workerData as CountOptions);
parentPort!.on('message', (request: CountRequest) => {
  parentPort!.postMessage(
    request === 'end' ? counter.kinds() : counter.count(Buffer.from(request.chunk.buffer as ArrayBuffer), request.kind),
  );
});
