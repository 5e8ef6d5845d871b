import { SECRET_START_LENGTH } from './token.rules.ts';

/** Errors of RFC 6749, 5.2, and of its extensions, by status. */
export const oauthErrors = {
  invalid_request: { status: 400, sentence: 'The request is malformed.' },
  unsupported_grant_type: { status: 400, sentence: 'Send grant_type=client_credentials.' },
  invalid_scope: { status: 400, sentence: 'There are no scopes. Omit the parameter scope.' },
  invalid_client: {
    status: 401,
    sentence: 'The API key is not valid, has expired, was revoked, or is not that of client_id.',
  },
  temporarily_unavailable: { status: 503, sentence: 'The service is temporarily unavailable. Retry in a few seconds.' },
  server_error: {
    status: 500,
    sentence: 'An unexpected error occurred. If it persists, report the header x-request-id.',
  },
} as const;

type OauthErrorCode = keyof typeof oauthErrors;

/** An error of the OAuth endpoint, and why. */
export interface OauthError {
  error: OauthErrorCode;
  /** Default: the sentence of the error. */
  description?: string;
}

/** A client of RFC 6749: an API key with its name. */
export interface ClientCredential {
  clientId: string;
  secret: string;
}

/**
 * Returns the client that a token request authenticates, by the header or by the form (RFC 6749, 2.3.1 and 4.4).
 * @param authorization the header Authorization; empty if missing
 */
export function clientCredentialIn(form: URLSearchParams, authorization: string): ClientCredential | OauthError {
  const names = [...form.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) return { error: 'invalid_request', description: 'A parameter must not be repeated.' };
  const grant = form.get('grant_type');
  if (!grant) return { error: 'invalid_request', description: 'The parameter grant_type is missing.' };
  if (grant !== 'client_credentials') return { error: 'unsupported_grant_type' };
  if (form.get('scope')) return { error: 'invalid_scope' };
  const [clientId, secret] = [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
  if (authorization === '') {
    if (clientId !== '' && secret !== '') return { clientId, secret };
    return { error: 'invalid_client', description: 'Send client_id and client_secret.' };
  }
  if (secret !== '') {
    return {
      error: 'invalid_request',
      description: 'Send client_secret either in the header Authorization or in the body.',
    };
  }
  const sent = basicCredential(authorization);
  if (sent === undefined) {
    return { error: 'invalid_client', description: 'The header Authorization must have the scheme Basic.' };
  }
  if (clientId !== '' && clientId !== sent.clientId) {
    return { error: 'invalid_request', description: 'The parameter client_id differs from that in the header.' };
  }
  return sent;
}

/** Both parts are encoded like a form before they are joined. */
function basicCredential(authorization: string): ClientCredential | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  const [, id, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    return { clientId: formDecoded(id), secret: formDecoded(secret) };
  } catch {
    return undefined;
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** Whether a client id names the key: its id, or the first characters of the key, which its holder knows. */
export function isClientOfKey({ clientId, secret }: ClientCredential, keyId: string): boolean {
  return clientId === keyId || clientId === secret.slice(0, SECRET_START_LENGTH);
}
