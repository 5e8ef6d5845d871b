import { expect, test } from '@jest/globals';
import { oauth } from '../../../src/access/tokens/oauth.route.ts';
import type { TokenTries } from '../../../src/access/tokens/token-tries.queue.ts';
import { createApp } from '../../../src/platform/http/app.ts';
import { createEventLoopScheduler } from '../../../src/platform/http/event-loop-scheduler.ts';
import { serveHttp } from '../../../src/platform/http/http-server.ts';
import { createLargeBodyGate } from '../../../src/platform/http/large-body-gate.ts';
import { createLog } from '../../../src/platform/log.ts';
import { refuse } from '../../../src/vocabulary/refusals.ts';
import { send } from '../../support/harness.ts';
import { validateAgainstOpenApi } from '../../support/openapi-document.ts';
import { testSettings } from '../../support/test-settings.ts';

async function answerWith(obtain: TokenTries['obtain']) {
  const log = createLog({ level: 'silent', process: 'test' });
  const largeBodies = createLargeBodyGate({ capacityBytes: 10_000_000, waitsMs: 60_000, arrivesMs: 60_000 });
  const scheduler = createEventLoopScheduler();
  const app = createApp({
    routes: [],
    log,
    authenticate: async () => refuse('authentication_failed'),
    largeBodies,
    scheduler,
    extra: [oauth({ tries: { obtain }, largeBodies, scheduler, log, publicAddress: undefined, isBehindProxy: false })],
  }).callback();
  const settings = testSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: '0' });
  const server = await serveHttp((request, response) => void app(request, response), settings, log);
  try {
    const answer = await send(server.url, 'POST', '/oauth/token', {
      body: 'grant_type=client_credentials&client_id=x&client_secret=y',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    validateAgainstOpenApi('POST', '/oauth/token', answer);
    return answer;
  } finally {
    await server.stop();
  }
}

const fail = (error: Error) => async () => {
  throw error;
};

test.each<[string, TokenTries['obtain']]>([
  ['the database is out of reach', fail(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))],
  ['too many attempts are waiting', async () => 'service_unavailable'],
])('answers 503 when %s', async (_when, obtain) => {
  expect(await answerWith(obtain)).toMatchObject({
    status: 503,
    body: { error: 'temporarily_unavailable' },
    headers: { 'retry-after': '5', 'cache-control': 'no-store' },
  });
});

test('answers 500 after an internal error, without its text', async () => {
  const answer = await answerWith(fail(new Error('secret detail')));
  expect(answer).toMatchObject({ status: 500, body: { error: 'server_error' } });
  expect(JSON.stringify(answer.body)).not.toContain('secret detail');
});
