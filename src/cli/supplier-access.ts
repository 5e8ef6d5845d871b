import { Option } from 'commander';
import { assertSafeForKey, checkedUrl, findKey, INSECURE, NO_KEY } from './api-key-input.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { connectTo, type Surroundings } from './connection.ts';
import { obtainTokens, type Advice, type Tokens } from './http-exchange.ts';

const PROGRAM = 'gangway';
/** A token that expires within this time is renewed first. */
const RENEWED_BEFORE_END_SECONDS = 60;
const ADVICE: Advice = {
  unreachable: 'Check the address and your network; GANGWAY_URL or --url names the service.',
  notAuthenticated: 'The API key is not taken. Was it revoked? Ask the operators for another one.',
  notPermitted: 'The API key may not do that. Ask the operators which import suppliers it is for.',
};

/**
 * Connects with only an address and a key: from GANGWAY_URL and GANGWAY_API_KEY, options, or a prompt.
 * @param environment of the process
 */
export function supplierSurroundings(environment: Readonly<Record<string, string | undefined>>): Surroundings {
  return {
    program: PROGRAM,
    options: [
      new Option('--url <address>', 'address of the service; without it GANGWAY_URL').argParser(checkedUrl),
      new Option(
        '--key-file <path>',
        'file with the API key; "-" is standard input. Without it GANGWAY_API_KEY, GANGWAY_API_KEY_FILE, or a prompt',
      ),
      INSECURE,
      NO_KEY,
    ],
    connect: async (options, isInputUsed) => {
      const url = options.url ?? urlIn(environment['GANGWAY_URL']);
      if (url === undefined) {
        throw new CommandError('Which service? Set GANGWAY_URL, or add --url <address>.', exitStatuses.usage);
      }
      assertSafeForKey(url, options.insecure);
      if (isInputUsed && options.keyFile === '-') {
        throw new CommandError(
          'Standard input contains the records, so the key must come from somewhere else.',
          exitStatuses.usage,
        );
      }
      const given = environment['GANGWAY_API_KEY'];
      const file = options.keyFile ?? (given ? undefined : environment['GANGWAY_API_KEY_FILE']);
      const advice = 'Name a file that contains it with --key-file <path>, or set GANGWAY_API_KEY.';
      const tokens = tokensFor(url, await findKey(file, given, !isInputUsed, advice));
      return connectTo({
        url,
        isOperator: await tokens.isOperator(),
        program: PROGRAM,
        advice: ADVICE,
        token: tokens.current,
      });
    },
  };
}

/** @throws CommandError, because commander reports invalid values of options only */
function urlIn(variable: string | undefined): string | undefined {
  try {
    return variable ? checkedUrl(variable) : undefined;
  } catch (error) {
    throw new CommandError(`GANGWAY_URL is not valid. ${(error as Error).message}`, exitStatuses.usage);
  }
}

/** Tokens are valid for an hour, but a job may take a night: obtains a new token before one expires, or when one is rejected. */
function tokensFor(
  url: string,
  key: string,
): { current: (isRejected: boolean) => Promise<string>; isOperator(): Promise<boolean> } {
  let tokens: Promise<Tokens> | undefined;
  const obtain = async (isRejected: boolean): Promise<Tokens> => {
    const known = await tokens?.catch(() => undefined);
    if (known && !isRejected && known.payload.exp - Date.now() / 1_000 > RENEWED_BEFORE_END_SECONDS) return known;
    tokens = obtainTokens(url, { APIKey: key }, ADVICE);
    return tokens;
  };
  return {
    current: async (isRejected) => (await obtain(isRejected)).token,
    isOperator: async () => (await obtain(false)).payload.role === 'operator',
  };
}
