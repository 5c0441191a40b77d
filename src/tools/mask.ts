/** What stands where a secret stood. */
const MASK = '***'

/** Shorter pieces of encoded text would also match what is no secret. */
const MIN_ENCODED = 5
/** A text that is cut off may end in the beginning of a secret: from this many characters on it is masked. */
const MIN_BEGINNING = 6

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const hex = (byte: number) => byte.toString(16).padStart(2, '0')
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A pattern of the ways in which programs write a character: plain, in JSON, a URL or HTML. */
function characterPattern(character: string): string {
  const code = character.codePointAt(0)!
  const percent = [...Buffer.from(character)].map((byte) => `%${hex(byte)}`).join('')
  const unicode = character
    .split('')
    .map((unit) => `\\\\{1,9}u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const html = [`&#0*${code};`, `&#x0*${code.toString(16)};`, ...[ENTITIES[character] ?? []].flat()]
  return `(?:${[`\\\\{0,9}${literal(character)}`, percent, unicode.join(''), ...html].join('|')})`
}

/** The characters of a Base64 text that depend on `bytes` alone, by how many bytes stand before them. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return own.length < MIN_ENCODED ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** A pattern of the ways in which programs write a secret, in hex and Base64, too. */
function patternOf(secret: string): string {
  const bytes = Buffer.from(secret)
  // people write blanks and hyphens between the digits of a code
  const characters = [...secret].map(characterPattern).join(/^\d+$/.test(secret) ? '[\\s.-]?' : '')
  const ofHex = [...bytes].map(hex).join('[ :]?')
  return [characters, ofHex, ...base64Forms(bytes).map(literal)].join('|')
}

/**
 * A text of somebody else without our secrets, however it writes them. Use it once, where the text is stored.
 * Upper and lower case are the same.
 */
export function masked(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)].filter((secret) => secret !== '')
  const longestFirst = known.sort((a, b) => b.length - a.length)
  const fitting = longestFirst.filter(({ length }) => length <= text.length).map(patternOf)
  const whole = fitting.length > 0 ? text.replace(new RegExp(fitting.join('|'), 'gi'), () => MASK) : text
  return longestFirst.reduce(withoutBeginning, whole)
}

function withoutBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_BEGINNING; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK
  return text
}
