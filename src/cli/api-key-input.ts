import { fstatSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { InvalidArgumentError, Option } from 'commander';
import { isLoopbackHost } from '../foundation/loopback.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { textIn } from './files.ts';

/** API keys are never passed on the command line, where other users of the machine can see them. */
const STANDARD_INPUT = 0;
export const FROM_STANDARD_INPUT = '-';

/** Rejects `--key` with an explanation. For an unknown option, commander would print its value. */
export const NO_KEY = new Option('--key <key>').hideHelp().argParser(refuseKey);
export const INSECURE = new Option('--insecure', 'allow http:// to another machine, which sends the key unencrypted');

/**
 * Finds an API key: in the named file, as given, on standard input, or by a prompt.
 * @param mayAsk whether standard input may be read
 * @param advice how to name a key
 * @throws CommandError when there is none
 */
export async function findKey(
  file: string | undefined,
  given: string | undefined,
  mayAsk: boolean,
  advice: string,
): Promise<string> {
  const named = file === undefined ? given?.trim() : keyInFile(file);
  const key = named || (mayAsk ? (keyOnStandardInput() ?? (await keyByPrompt())) : undefined);
  if (key) return key;
  throw new CommandError(`No API key was given. ${advice}`, exitStatuses.usage);
}

/** Reads the key from a file; `-` is standard input. */
function keyInFile(path: string): string | undefined {
  if (path === FROM_STANDARD_INPUT) return keyOnStandardInput();
  return textIn(path, `The key file ${path}`).trim() || undefined;
}

/** Prompts for the key at a terminal, without echoing it. */
async function keyByPrompt(): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  process.stderr.write('API key (not shown): ');
  const hidden = new Writable({ write: (_typed, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true });
  const key = await terminal.question('').finally(() => {
    terminal.close();
  });
  process.stderr.write('\n');
  return key.trim() || undefined;
}

function refuseKey(): never {
  throw new CommandError(
    'An API key must not be on the command line, where other users of this machine can see it. Use --key-file, GANGWAY_API_KEY, or standard input.',
    exitStatuses.usage,
  );
}

/** Reads piped input; does not wait for a terminal. */
function keyOnStandardInput(): string | undefined {
  const input = fstatSync(STANDARD_INPUT);
  if (!input.isFile() && !input.isFIFO() && !input.isSocket()) return undefined;
  return readFileSync(STANDARD_INPUT, 'utf8').trim() || undefined;
}

/** Validates the address of a service and removes a trailing slash. A path is kept, for a service behind a proxy. */
export function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('An address such as https://gangway.example is expected.');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new InvalidArgumentError('The address must have no user name, password, query or fragment.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** @throws CommandError if a key would be sent without encryption */
export function assertSafeForKey(url: string, isInsecure: boolean | undefined): void {
  if (isInsecure || !url.startsWith('http:') || isLoopbackHost(new URL(url).hostname)) return;
  throw new CommandError(
    `The key would be sent to ${url} unencrypted. Use https://, or add --insecure if you trust the network.`,
    exitStatuses.usage,
  );
}
