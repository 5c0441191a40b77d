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

const RUNS = 40

test.each(PARSERS)(
  '$name is read within a slice of the event loop',
  { timeout: 600_000 },
  async ({ most, around: [before, after] = ['', ''], read }) => {
    const judge = async ([begin, pump, end]: [string, string[], string]) => {
      const room = most - before.length - begin.length - end.length - after.length
      const repeated = pump.join('')
      const text =
        before + begin + repeated.repeat(Math.max(1, Math.floor(room / repeated.length))) + end + after
      const ms = await blockMs(() => read(text.slice(0, most)))
      if (ms > MAX_BLOCK_MS) throw new Error(`${Math.round(ms)} ms`)
    }
    await fc.assert(fc.asyncProperty(hostile, judge), {
      numRuns: RUNS,
      examples: PIECES.flatMap((one): [[string, string[], string]][] => [
        [['', [one], '']],
        [['"', [one], 'x']],
      ]),
      endOnFailure: true,
    })
  },
)
