const PREFIX = /^\+[1-9]\d{0,14}$/

/**
 * Parses typed prefixes of numbers (`+43, 0049 151`) to a line's form: `+43,+49151`. Undefined
 * if one is invalid.
 */
export function readPrefixes(typed: string): string | undefined {
  const prefixes = typed
    .replace(/\s+(?=\+)/g, ',')
    .split(/[,;\n]/)
    .map((prefix) => prefix.replace(/[\s()/-]/g, '').replace(/^00/, '+'))
    .filter((prefix) => prefix !== '')
  return prefixes.every((prefix) => PREFIX.test(prefix)) ? prefixes.join(',') : undefined
}
