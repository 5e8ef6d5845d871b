import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A received request, and whether its signature is valid. */
interface ReceivedEvent {
  path: string;
  id: string;
  event: any;
  isSigned: boolean;
}

/** A supplier's receiver of events. */
export interface WebhookReceiver {
  url: string;
  received: ReceivedEvent[];
  /** Events that got the response 204. */
  taken: ReceivedEvent[];
  /** The secret for checking signatures. */
  secret: string;
  /** Returns the status of the response; 204 by default, 0 to disconnect. */
  answer: (received: ReceivedEvent, response: ServerResponse) => number;
  stop(): Promise<void>;
}

/** Starts a receiver on a free port of this machine. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const headers = request.headers as Record<string, string>;
      let isSigned = true;
      try {
        new Webhook(receiver.secret).verify(body, headers);
      } catch {
        isSigned = false;
      }
      const received = { path: request.url!, id: headers['webhook-id']!, event: JSON.parse(body), isSigned };
      receiver.received.push(received);
      const status = receiver.answer(received, response);
      if (status === 204) receiver.taken.push(received);
      // The receiver disconnects.
      if (status === 0) request.socket.destroy();
      else response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received: [],
    taken: [],
    secret: 'whsec_bm9uZSB5ZXQsIGJ1dCBsb25nIGVub3VnaA==',
    answer: () => 204,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
