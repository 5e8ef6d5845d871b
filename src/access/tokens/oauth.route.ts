import { isIPv6 } from 'node:net';
import type { Context, Middleware } from 'koa';
import { isTransientError } from '../../platform/database/faults.ts';
import { answerRefusal, late } from '../../platform/http/answer-refusal.ts';
import { clientNetwork } from '../../platform/http/client-network.ts';
import type { EventLoopScheduler } from '../../platform/http/event-loop-scheduler.ts';
import type { LargeBodyGate } from '../../platform/http/large-body-gate.ts';
import { checkQuery } from '../../platform/http/query-parameters.ts';
import { createBodyReader, isLeftUnread, type ReadBytes } from '../../platform/http/request-bytes.ts';
import { sendJson } from '../../platform/http/send-json.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { isTokenRefusal } from './obtain-token.rules.ts';
import { clientCredentialIn, oauthErrors, type OauthError } from './oauth.rules.ts';
import type { TokenRequest, TokenTries } from './token-tries.queue.ts';

export interface OauthDeps {
  tries: Pick<TokenTries, 'obtain'>;
  largeBodies: LargeBodyGate;
  scheduler: EventLoopScheduler;
  log: Log;
  /** Public address of the API; unset, it is that of the connection, which behind a proxy is not public. */
  publicAddress: string | undefined;
  isBehindProxy: boolean;
}

const TOKEN_PATH = '/oauth/token';
const METADATA_PATH = '/.well-known/oauth-authorization-server';
const BODY_LIMIT_BYTES = 8_192;
const RETRY_AFTER_SECONDS = 5;
const CHALLENGE = { 'www-authenticate': 'Basic realm="gangway"' };
const NOT_CACHED = { pragma: 'no-cache' };
const NO_ADDRESS =
  'The metadata is not published, because the operators have not set the public address of the service (API_URL). The token endpoint is /oauth/token.';

/**
 * `POST /oauth/token` (RFC 6749, 4.4): exchanges a key for an access token, with the limits and the audit of obtainToken; and
 * `GET /.well-known/oauth-authorization-server` (RFC 8414).
 */
export function oauth(deps: OauthDeps): Middleware {
  const readBytes = createBodyReader({ limitBytes: BODY_LIMIT_BYTES, gate: deps.largeBodies });
  return async (ctx, next) => {
    const path = ctx.path.replace(/(?<=.)\/$/, '');
    if (path !== TOKEN_PATH && path !== METADATA_PATH) return next();
    ctx.state['route'] = path;
    const methods = path === TOKEN_PATH ? ['POST'] : ['GET', 'HEAD'];
    if (!methods.includes(ctx.method)) {
      ctx.set('allow', methods.join(', '));
      return answerRefusal(ctx, refuse('method_not_allowed'));
    }
    if (path === TOKEN_PATH) return answerToken(ctx, deps, readBytes);
    const queryFault = checkQuery(ctx.querystring, {});
    if (queryFault) return answerRefusal(ctx, queryFault);
    const issuer = issuerOf(ctx, deps);
    if (issuer === undefined) return answerRefusal(ctx, refuse('not_found', { detail: NO_ADDRESS }));
    sendJson(ctx, 200, JSON.stringify(metadataOf(issuer)));
  };
}

async function answerToken(ctx: Context, deps: OauthDeps, readBytes: ReadBytes): Promise<void> {
  const form = await readForm(ctx, readBytes);
  if (!(form instanceof URLSearchParams)) return answerError(ctx, form.fault, form.status);
  const credential = clientCredentialIn(form, ctx.get('authorization'));
  if ('error' in credential) return answerError(ctx, credential);
  const request: TokenRequest = {
    network: clientNetwork(ctx.ip),
    requestId: ctx.state['requestId'] as string,
    hasTried: false,
  };
  // As for obtainToken: each attempt yields to requests of authenticated callers.
  await deps.scheduler.acquire(true);
  const issued = await obtain(deps, credential, request);
  if (request.retryAfterSeconds !== undefined) {
    await late();
    const description = 'Too many attempts with this key or from this address. Retry after the time in Retry-After.';
    return answerError(ctx, { error: 'temporarily_unavailable', description }, 429, request.retryAfterSeconds);
  }
  if ('error' in issued) return answerError(ctx, issued);
  const { token, issuedAt, expiresAt } = issued;
  const body = { access_token: token, token_type: 'Bearer', expires_in: expiresAt - issuedAt };
  sendJson(ctx, 200, JSON.stringify(body), NOT_CACHED);
}

async function obtain(
  { tries, log }: OauthDeps,
  { clientId, secret }: { clientId: string; secret: string },
  request: TokenRequest,
) {
  try {
    const outcome = await tries.obtain({ APIKey: secret, clientId }, request);
    if (!isTokenRefusal(outcome)) return outcome;
    return { error: outcome === 'service_unavailable' ? 'temporarily_unavailable' : 'invalid_client' } as const;
  } catch (error) {
    log.error({ requestId: request.requestId, fault: loggedFault(error) }, 'obtaining a token failed');
    return { error: isTransientError(error) ? 'temporarily_unavailable' : 'server_error' } as const;
  }
}

/** Reads the form. Credentials in the address would appear in logs, so a query is rejected. */
async function readForm(
  ctx: Context,
  readBytes: ReadBytes,
): Promise<URLSearchParams | { fault: OauthError; status?: number }> {
  const invalid = (description: string, status?: number) => ({
    fault: { error: 'invalid_request', description } as const,
    ...(status === undefined ? {} : { status }),
  });
  if (ctx.querystring !== '') return invalid('Send the parameters in the body, not in the address.');
  if (!ctx.is('application/x-www-form-urlencoded')) {
    return invalid('Send the body as application/x-www-form-urlencoded.');
  }
  const bytes = await readBytes(ctx.req, ctx.res, '');
  if (isLeftUnread(ctx.req, bytes)) ctx.set('connection', 'close');
  if (!isRefused(bytes)) return new URLSearchParams(bytes.toString('utf8'));
  return bytes.code === 'request_too_large'
    ? invalid(`The body is larger than ${BODY_LIMIT_BYTES} bytes.`, 413)
    : invalid(bytes.detail ?? 'The body cannot be read.');
}

function answerError(
  ctx: Context,
  { error, description }: OauthError,
  status?: number,
  retryAfterSeconds?: number,
): void {
  const { status: usual, sentence } = oauthErrors[error];
  const sent = status ?? usual;
  const seconds = retryAfterSeconds ?? (sent === 503 ? RETRY_AFTER_SECONDS : undefined);
  ctx.state['code'] = error;
  sendJson(ctx, sent, JSON.stringify({ error, error_description: description ?? sentence }), {
    ...NOT_CACHED,
    ...(sent === 401 ? CHALLENGE : {}),
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
  });
}

/** The issuer, without a slash at the end. Never taken from the request, whose sender chooses the header Host. */
function issuerOf({ req }: Context, { publicAddress, isBehindProxy }: OauthDeps): string | undefined {
  if (publicAddress !== undefined) return publicAddress.replace(/\/$/, '');
  const { localAddress = '', localPort } = req.socket;
  if (isBehindProxy) return undefined;
  return `http://${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`;
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    token_endpoint: `${issuer}${TOKEN_PATH}`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    // There is no authorization endpoint.
    response_types_supported: [],
    service_documentation: `${issuer}/docs/`,
  };
}
