import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/*
 * The equivalent of post.lua for autocannon: `post.ts URL BODYFILE CONNECTIONS SECONDS [FIRST]`, started by `npm
 * exec`, which adds the folder of the package to PATH.
 */
type SetUp = (request: Record<string, unknown>) => Record<string, unknown>;
type Autocannon = (options: {
  url: string;
  method: 'POST';
  connections: number;
  duration: number;
  timeout: number;
  headers: Record<string, string>;
  requests: [{ body: string } | { setupRequest: SetUp }];
}) => Promise<{
  duration: number;
  requests: { total: number };
  latency: { p50: number; p99: number };
  errors: number;
  non2xx: number;
}>;

const [url = '', bodyFile = '', connections, seconds, first] = process.argv.slice(2);
const [binaries = ''] = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.includes('_npx'));
const autocannon = createRequire(join(binaries, '..', 'x.js'))('autocannon') as Autocannon;
const body = readFileSync(bodyFile, 'utf8');
let number = Number(first);
const { duration, requests, latency, errors, non2xx } = await autocannon({
  url,
  method: 'POST',
  connections: Number(connections),
  duration: Number(seconds),
  timeout: 30,
  headers: { 'content-type': 'application/json', authorization: `Token ${process.env['BENCH_TOKEN']}` },
  requests: [first === undefined ? { body } : { setupRequest: (request) => ({ ...request, body: nextBody() }) }],
});
process.stdout.write(
  `RESULT ${JSON.stringify({ perSecond: requests.total / duration, p50: latency.p50, p99: latency.p99, requests: requests.total, failed: errors, non2xx })}\n`,
);

/** The placeholder EXT-00000000 becomes a running number. */
function nextBody(): string {
  number += 1;
  return body.replace('EXT-00000000', `EXT-${String(number).padStart(8, '0')}`);
}
