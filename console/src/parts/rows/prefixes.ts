const PREFIX = /^\+[1-9]\d{0,14}$/
const SIGNED = /^[+-][1-9]\d{0,14}$/

/**
 * Parses typed prefixes of phone numbers (`+43, 0049 151`) to the stored form `+43,+49151`. Undefined if one
 * is invalid. `areSigned` allows prefixes with a minus, which exclude numbers.
 */
export function readPrefixes(typed: string, areSigned = false): string | undefined {
  const prefixes = typed
    .replace(areSigned ? /\s+(?=[+-])/g : /\s+(?=\+)/g, ',')
    .split(/[,;\n]/)
    .map((prefix) => prefix.replace(/[\s()/]|(?<=\d\s*)-/g, '').replace(/^00/, '+'))
    .filter((prefix) => prefix !== '')
  return prefixes.every((prefix) => (areSigned ? SIGNED : PREFIX).test(prefix))
    ? prefixes.join(',')
    : undefined
}
