import { cutBetweenGraphemes, cutToCharacters } from '../../src/portable/cut-text.ts'
import {
  cutText,
  findDiscordRules,
  findMatrixRules,
  findNtfyRules,
  findSlackRules,
  findTelegramRules,
  type TextRules,
} from '../../src/portable/service-texts.ts'

// A cut leaves no half of what people see as one sign: a boxed letter, a man without his family.

const FLAG = '🇩🇪'
const FAMILY = '👩‍👩‍👧‍👦'
const THUMB = '👍🏽'
const KEYCAP = '1️⃣'
const WALES = '🏴󠁧󠁢󠁷󠁬󠁳󠁿'
const ACCENTED = 'e\u0301'
const HINDI = 'क्षि'
const HANGUL = '\u1112\u1161\u11ab'
const SIGNS = [FLAG, FAMILY, THUMB, KEYCAP, WALES, ACCENTED, HINDI, HANGUL, '😀', '\r\n']

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const splitGraphemes = (text: string) => [...segmenter.segment(text)].map(({ segment }) => segment)

test.each(SIGNS)('a cut leaves %j whole', (sign) => {
  for (const before of ['', 'x', 'xy']) {
    const text = before + sign.repeat(40)
    const whole = splitGraphemes(text)
    for (let max = before.length + sign.length; max < text.length; max++) {
      const cut = cutBetweenGraphemes(text, max)
      expect(cut.length).toBeLessThanOrEqual(max)
      expect(splitGraphemes(cut)).toEqual(whole.slice(0, splitGraphemes(cut).length))
      expect(whole[splitGraphemes(cut).length]!.length + cut.length).toBeGreaterThan(max)
    }
  }
})

test.each<[string, string, number, string]>([
  ['a short text whole', FLAG, 4, FLAG],
  ['a sign that does not fit between characters', FLAG, 3, '🇩'],
  ['no half of a character', '😀😀', 1, ''],
  ['nothing into no room', 'Hello', 0, ''],
  ['a letter with too many accents', `e${'\u0301'.repeat(300)}`, 3, 'e\u0301\u0301'],
])('the cut keeps %s', (_, text, max, kept) => {
  expect(cutBetweenGraphemes(text, max)).toBe(kept)
})

test.each<[string, number, string]>([
  ['a text of characters beyond 16 bits', 120, `${'🎉'.repeat(119)}a`],
  ['a text of flags', 5, FLAG.repeat(2)],
  ['a text of letters', 3, 'abc'],
])('%s is cut to %d characters', (_, max, kept) => {
  expect(cutToCharacters(`${kept}${kept.startsWith(FLAG) ? FLAG : 'bc'}`, max)).toBe(kept)
  expect(cutToCharacters(kept, max)).toBe(kept)
})

test.each<[string, TextRules, string, object]>([
  ['Telegram', findTelegramRules, 'text', {}],
  ['Telegram, as a caption', findTelegramRules, 'caption', { parse_mode: 'HTML' }],
  ['Discord', findDiscordRules, 'content', {}],
  ['Slack', findSlackRules, 'text', { type: 'plain_text' }],
  ['ntfy', findNtfyRules, 'message', {}],
  ['Matrix', findMatrixRules, 'body', {}],
])('a text that is too long for %s is cut between signs', (_, findRules, key, holder) => {
  const rule = findRules(key, holder as Readonly<Record<string, unknown>>)
  if (!rule) throw new Error('the service has no limit')
  const size = rule.sizeOf ?? ((text: string) => [...text].length)
  for (const sign of SIGNS.filter((one) => one !== '\r\n'))
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const text = cutText(before + sign.repeat(20_000), rule)
      expect(size(text)).toBeLessThanOrEqual(rule.max)
      const [last, ...others] = splitGraphemes(text).reverse()
      expect(last).toBe('…')
      expect(others.slice(0, -4)).toEqual(others.slice(0, -4).fill(sign))
    }
})
