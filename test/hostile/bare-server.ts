import { createServer } from 'node:http';

// The minimum that a service on Node does under the attacks, as a separate process: it reads each body completely and
// answers without using it. Addresses distinguish attackers from the bystander.

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.statusCode = request.socket.remoteAddress?.endsWith('127.0.0.1') ? 200 : 429;
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
