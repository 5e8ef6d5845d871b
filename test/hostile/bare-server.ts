import { createServer } from 'node:http';

// The least that a service on Node can do under the attacks, in a process of its own: it reads each body to its end and answers
// at once, without a look at anything. Strangers are told from the bystander by their address.

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
