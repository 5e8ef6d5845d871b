import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** The provider's claims about a person, by sign-in name. */
export type KnownPeople = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface TestProvider {
  issuer: string;
  /** Signs in and consents like a person; returns the address of the final redirect. */
  signIn(address: string, login: string): Promise<string>;
  stop(): Promise<void>;
}

export const CLIENT = { id: 'support-site', secret: 'kept by the site and the provider alone' };
const STEPS_MAX = 12;
/** Validity of tokens in seconds. If unset, the provider logs a warning. */
const HOLDS = 600;

/** Starts a real provider of OpenID Connect on a free port. It accepts any password. */
export async function startProvider(redirectUri: string, people: KnownPeople): Promise<TestProvider> {
  let answer: (...args: Parameters<ReturnType<Provider['callback']>>) => unknown = () => {};
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = withoutWarnings(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        application_type: 'native',
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'roles'], email: ['email'] },
    pkce: { required: () => true },
    cookies: { keys: ['for the tests'] },
    ttl: { AccessToken: HOLDS, Grant: HOLDS, IdToken: HOLDS, Interaction: HOLDS, Session: HOLDS },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people[sub] }) }),
  });
  answer = provider.callback();
  return {
    issuer,
    signIn: (address, login) => signInAt(address, login, redirectUri),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Suppresses its warnings about choices for tests: its own keys, a store in memory, and development pages. */
function withoutWarnings(...parameters: ConstructorParameters<typeof Provider>): Provider {
  const output: Pick<Console, 'warn'> = globalThis.console;
  const { warn } = output;
  output.warn = () => {};
  try {
    return new Provider(...parameters);
  } finally {
    output.warn = warn;
  }
}

async function signInAt(address: string, login: string, redirectUri: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = address;
  let form: URLSearchParams | undefined;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const response = await fetch(at, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
      ...(form === undefined ? {} : { body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) {
      const fields: Record<string, string> = text.includes('name="login"')
        ? { prompt: 'login', login, password: 'any' }
        : { prompt: 'consent' };
      form = new URLSearchParams(fields);
    } else {
      at = new URL(location, at).href;
      form = undefined;
      if (at.startsWith(redirectUri)) return at;
    }
  }
  throw new Error(`The provider did not redirect back; it stopped at ${at}`);
}
