/** Pieces that make a text costly for some parser when they are repeated. */
export const PIECES: readonly string[] = [
  ...[
    'a',
    '1',
    ' ',
    '\0',
    '\u0301',
    'ﷺ',
    '"',
    '\\',
    '%41',
    ',',
    '1x',
    '[',
    '{{a}}',
    '<b><p>',
    '+49 151 2000001 ',
  ],
]

/** A text of so many characters, or a little less. */
export const filled = (piece: string, length: number): string =>
  piece.repeat(Math.max(1, Math.floor(length / piece.length)))

/** Makes JSON of about so many bytes. */
type Make = (bytes: number) => string

const itemsOf =
  (itemOf: (i: number) => string, [open, close] = ['[', ']'] as readonly [string, string]): Make =>
  (bytes) => {
    const items: string[] = []
    for (let size = 0, i = 0; size < bytes; i++) {
      const item = itemOf(i)
      items.push(item)
      size += item.length + 1
    }
    return `${open}${items.join(',')}${close}`
  }
const keysOf = (value: string) => itemsOf((i) => `"k${i}":${value}`, ['{', '}'])
const number = (i: number) => `"+49 151 ${2_000_000 + i}"`

const OTHERS: Readonly<Record<string, Make>> = {
  'numbers with blanks': itemsOf(number),
  'objects with a number': itemsOf((i) => `{"to":${number(i)},"phone":${number(i)}}`),
  'short texts': itemsOf((i) => `"a${i}"`),
  'empty texts': itemsOf(() => '""'),
  'long texts': itemsOf((i) => `"${i}${filled('ﷺ', 1_000)}"`),
  'empty objects': itemsOf(() => '{}'),
  'empty lists': itemsOf(() => '[]'),
  ones: itemsOf(() => '1'),
  'keys with texts': keysOf('"v"'),
  'keys with objects': keysOf('{}'),
  'lists as deep as may be': itemsOf(() => '['.repeat(900) + ']'.repeat(900)),
  'lists that are too deep': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'a long number': (bytes) => filled('9', bytes),
  'large numbers': itemsOf(() => '1e308'),
}

const textOf = (piece: string, bytes: number) =>
  JSON.stringify(
    filled(piece, (bytes * piece.length) / (Buffer.byteLength(JSON.stringify(piece)) - 2)),
  )

/** JSON values, each with its name. */
export const JSON_BAITS: readonly (readonly [name: string, make: Make])[] = [
  ...PIECES.map((piece): [string, Make] => [
    `text of ${JSON.stringify(piece)}`,
    (bytes) => textOf(piece, bytes),
  ]),
  ...Object.entries(OTHERS),
]
