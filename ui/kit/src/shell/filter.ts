import type { Command } from './app.ts';

/** Returns the commands in which every typed word is the beginning of a word. */
export function filterCommands(commands: Command[], query: string): Command[] {
  const wanted = words(query);
  return commands.filter((command) => {
    const given = words(`${command.group} ${command.label}`);
    return wanted.every((want) => given.some((word) => word.startsWith(want)));
  });
}

function words(text: string): string[] {
  return text
    .toLocaleLowerCase()
    .split(/[\s\-–:]+/)
    .filter(Boolean);
}
