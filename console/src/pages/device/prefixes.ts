const PREFIX = /^\+[1-9]\d{0,14}$/

/**
 * Beginnings of numbers as they are typed (`+43, 0049 151`), in the form of a line: `+43,+49151`. Undefined
 * when one is none.
 */
export function readPrefixes(typed: string): string | undefined {
  const prefixes = typed
    .replace(/\s+(?=\+)/g, ',')
    .split(/[,;\n]/)
    .map((prefix) => prefix.replace(/[\s()/-]/g, '').replace(/^00/, '+'))
    .filter((prefix) => prefix !== '')
  return prefixes.every((prefix) => PREFIX.test(prefix)) ? prefixes.join(',') : undefined
}
