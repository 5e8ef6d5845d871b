/**
 * Ends this process with status 2 when it was started with an argument that it does not know: what is taken for an option
 * must not be left out without a word.
 */
export function refuseUnknownArguments(known: readonly string[], help: string): void {
  const unknown = process.argv.slice(2).find((argument) => !known.includes(argument));
  if (unknown === undefined) return;
  process.stderr.write(`There is no argument "${unknown}". See ${help}\n`);
  process.exit(2);
}
