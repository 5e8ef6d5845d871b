import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  status: { code?: number };
}

/** A collector of traces: OTLP by HTTP, in JSON. */
export interface SpanReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** All received data as sent. */
  bodies: string[];
  stop(): Promise<void>;
}

/** Starts a collector on a free port of this machine. */
export async function startSpanReceiver(): Promise<SpanReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url !== '/v1/traces') return response.writeHead(404).end();
      bodies.push(body);
      for (const { scopeSpans } of JSON.parse(body).resourceSpans) {
        for (const scope of scopeSpans) spans.push(...scope.spans.map(spanOf));
      }
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function spanOf({ attributes = [], links = [], status = {}, ...span }: any): ReceivedSpan {
  const named = attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]);
  return { ...span, attributes: Object.fromEntries(named), links, status };
}
