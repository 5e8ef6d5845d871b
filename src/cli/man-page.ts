import type { Command } from 'commander';

/**
 * The manual page of the program in the macros of man(7), from its commands and the topics of `help`.
 * @param name as which the program is installed
 * @param sections further sections with plain text
 */
export function manPage(program: Command, name: string, sections: ReadonlyMap<string, string>): string {
  const description = program.description().replace(/\.$/, '');
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "${roff(`gangway ${program.version() ?? ''}`)}" "${roff('gangway manual')}"`,
    // No words are divided or stretched, so that names can be copied.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${roff(name)} \\- ${roff(description)}`,
    '.SH SYNOPSIS',
    `.B ${roff(name)}`,
    roff('[options] <command>'),
    '.SH COMMANDS',
    ...leavesOf(program).flatMap((command) => commandLines(command, name)),
    ...[...sections].flatMap(([title, text]) => [
      `.SH ${roff(title.replaceAll('-', ' ').toUpperCase())}`,
      '.EX',
      ...text.split('\n').map(roff),
      '.EE',
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The commands that do something, without hidden ones. */
function leavesOf(command: Command): Command[] {
  // Without the help that each group has.
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.parent === command);
  return below.flatMap((one) => (one.commands.length === 0 ? [one] : leavesOf(one)));
}

function commandLines(command: Command, name: string): string[] {
  const help = command.createHelp();
  const path = [command.name()];
  for (let above = command.parent; above?.parent; above = above.parent) path.unshift(above.name());
  return [
    `.SS "${roff([name, ...path, command.usage()].join(' '))}"`,
    roff(command.description()),
    ...[
      ...help.visibleArguments(command),
      ...help.visibleOptions(command).filter(({ long }) => long !== '--help'),
    ].flatMap((one) => [
      '.TP',
      `.B ${roff('flags' in one ? one.flags : one.name())}`,
      roff('flags' in one ? help.optionDescription(one) : help.argumentDescription(one)) || '\\&',
    ]),
  ];
}

/** Plain text for roff: no escapes, hyphens that can be copied, and no line that looks like a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll('\n', ' ')
    .replace(/^(?=[.'])/, String.raw`\&`);
}
