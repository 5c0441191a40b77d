import fc from 'fast-check'
import { PIECES } from './bait.ts'
import { blockMs, MAX_BLOCK_MS } from './loop.ts'
import { PARSERS } from './parsers.ts'

/** Pieces that a parser of some language knows. */
const WORDS = [
  ...[
    '\n',
    '\r\n',
    '\t',
    '+',
    '-',
    '_',
    '.',
    ':',
    '/',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '|',
    '&',
    '=',
    '@',
    '#',
    '*',
    '?',
    '<',
    '>',
    "'",
    ';',
  ],
  ...[
    'e\u0301',
    '\ud800',
    '😀',
    'ß',
    '١',
    '0x',
    '1e308,',
    '\\u0000',
    '%',
    '--',
    '> ',
    '{{#if a}}',
    '{{#each a}}',
    '{{/if}}',
    '&&',
    'a = 1',
  ],
  ...[
    '<a ',
    '</a>',
    '<!--',
    '&amp;',
    '=20',
    '(?:',
    '{9}',
    '[a-z]',
    '"a":',
    'null',
    'STOP',
    '+49',
    '01512000001',
    'https://',
    ' (ext',
  ],
]
const piece = fc.constantFrom(...PIECES, ...WORDS)
const few = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''))
/** A beginning, something that is repeated as often as there is room, and an end that may not fit. */
const hostile = fc.tuple(few, fc.array(piece, { minLength: 1, maxLength: 4 }), few)

/** What every parser gets, before the search. */
const KNOWN = PIECES.flatMap((one): [[string, string[], string]][] => [
  [['', [one], '']],
  [['"', [one], 'x']],
])
const SEARCHED = 40

/** Only bodies are so long, and their doors count bytes. */
const MAX_COUNTED_CHARACTERS = 64 << 10

test.each(PARSERS)(
  '$name is read without blocking the event loop',
  { timeout: 600_000 },
  async ({ most, around: [before, after] = ['', ''], read }) => {
    const sizeOf = (text: string) =>
      most > MAX_COUNTED_CHARACTERS ? Buffer.byteLength(text) : text.length
    const judge = async ([begin, pump, end]: [string, string[], string]) => {
      const room = most - sizeOf(before + begin + end + after)
      const repeated = pump.join('')
      const middle = repeated.repeat(Math.max(1, Math.floor(room / sizeOf(repeated))))
      const ms = await blockMs(() => read(before + begin + middle + end + after))
      if (ms > MAX_BLOCK_MS) throw new Error(`${Math.round(ms)} ms`)
    }
    await fc.assert(fc.asyncProperty(hostile, judge), {
      numRuns: KNOWN.length + SEARCHED,
      examples: KNOWN,
      endOnFailure: true,
    })
  },
)
