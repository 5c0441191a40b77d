import fc from 'fast-check'
import { countSegments } from '../../src/portable/segments.ts'

const family = '👨‍👩‍👧‍👦' // 11 units, one character to the reader

test.each([
  ['nothing', '', 'GSM-7', 0, 1],
  ['plain ASCII', 'Hello Ann, your code is 123456.', 'GSM-7', 31, 1],
  ['the whole default alphabet', '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ ¤¡ÄÖÑÜ§¿äöñüà', 'GSM-7', 45, 1],
  ['characters of the extension table take two units', '\f^{}\\[~]|€', 'GSM-7', 20, 1],
  ['CR LF is in the alphabet', 'a\r\nb', 'GSM-7', 4, 1],
  ['160 septets', 'a'.repeat(160), 'GSM-7', 160, 1],
  ['161 septets', 'a'.repeat(161), 'GSM-7', 161, 2],
  ['306 septets', 'a'.repeat(306), 'GSM-7', 306, 2],
  ['307 septets', 'a'.repeat(307), 'GSM-7', 307, 3],
  ['80 extended', '€'.repeat(80), 'GSM-7', 160, 1],
  ['81 extended', '€'.repeat(81), 'GSM-7', 162, 2],
  ['153 extended: a pair is not split, a part holds 76', '€'.repeat(153), 'GSM-7', 306, 3],
  [
    'an extension character is not split between segments',
    `${'a'.repeat(152)}€${'a'.repeat(152)}`,
    'GSM-7',
    306,
    3,
  ],
  ['1,600 septets', 'a'.repeat(1600), 'GSM-7', 1600, 11],
  ['a small c with cedilla is not in the alphabet', 'ç', 'UCS-2', 1, 1],
  ['a backtick is not either', '`', 'UCS-2', 1, 1],
  ['a tab is not either', '\t', 'UCS-2', 1, 1],
  ['a character whose low byte is a GSM letter is not GSM-7', 'ŁA', 'UCS-2', 2, 1],
  ['70 units', 'ж'.repeat(70), 'UCS-2', 70, 1],
  ['71 units', 'ж'.repeat(71), 'UCS-2', 71, 2],
  ['134 units', 'ж'.repeat(134), 'UCS-2', 134, 2],
  ['135 units', 'ж'.repeat(135), 'UCS-2', 135, 3],
  ['35 emoji', '😀'.repeat(35), 'UCS-2', 70, 1],
  ['36 emoji', '😀'.repeat(36), 'UCS-2', 72, 2],
  ['67 emoji: a pair is not split, a part holds 33', '😀'.repeat(67), 'UCS-2', 134, 3],
  ['letters with combining accents count both', `${'e\u0301'.repeat(35)}ж`, 'UCS-2', 71, 2],
  ['a family is not split', `${'ж'.repeat(60)}${family}${'ж'.repeat(63)}`, 'UCS-2', 134, 3],
  ['a character longer than a part is', `a${'\u0301'.repeat(1599)}`, 'UCS-2', 1600, 24],
] as const)('%s: $2, $3 units, $4 segment(s)', (_, text, encoding, units, segments) => {
  expect(countSegments(text)).toEqual({ encoding, units, segments })
})

test('the GSM alphabet has 127 characters and its extension 10 (TS 23.038, 6.2.1)', () => {
  const units = Array.from({ length: 0x10000 }, (_, code) =>
    countSegments(String.fromCharCode(code)),
  )
  const gsm = units.filter(({ encoding }) => encoding === 'GSM-7')
  expect(gsm.filter((one) => one.units === 1)).toHaveLength(127)
  expect(gsm.filter((one) => one.units === 2)).toHaveLength(10)
})

test("a random text's segments have room for its units, and a short text is one segment", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const { encoding, units, segments } = countSegments(text)
      const [alone, part] = encoding === 'GSM-7' ? [160, 153] : [70, 67]
      if (units <= alone) expect(segments).toBe(1)
      else expect(segments).toBeGreaterThanOrEqual(Math.ceil(units / part))
    }),
  )
})

test('a text is cut where the segmenter would cut it, seen as a whole', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const parts = (text: string) => {
    const graphemes = segmenter.segment(text)
    let count = 0
    for (let start = 0; start < text.length; count++) {
      const end = start + 67
      if (end >= text.length) return count + 1
      const boundary = graphemes.containing(end)!.index
      const isPair = /[\udc00-\udfff]/.test(text[end]!)
      start = boundary > start ? boundary : isPair ? end - 1 : end
    }
    return count
  }
  const pieces = [
    '🇩',
    '🇪',
    '👩',
    '\u200d',
    '❤️',
    '\u0301',
    'क',
    '्',
    'ष',
    'é',
    'ж',
    '中',
    '\r',
    '\n',
    '😀',
    family,
    '🏽',
    'ᄀ',
    'ᅡ',
    '\ud83d',
    '\ude00',
    'a',
    'b',
    '1',
  ]
  const unit = fc.oneof(
    fc.constantFrom(...pieces),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  )
  const texts = fc
    .array(unit, { minLength: 70, maxLength: 400 })
    .map((units) => `ж${units.join('')}`)
  fc.assert(
    fc.property(texts, (text) => {
      expect(countSegments(text).segments).toBe(parts(text))
    }),
    { numRuns: 300 },
  )
})
