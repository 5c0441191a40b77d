import { writeFoldedPattern } from '../../../src/engine/filter/folded-pattern.ts'
import { foldText } from '../../../src/portable/fold-text.ts'
import { testConfig } from '../../support/server/start.ts'
import { openWorld } from './world.ts'

const world = await openWorld(await testConfig())
const { db } = world.store

/** Whether a field that has the text meets `field:fold ~ "…"`. */
async function finds(text: string, asked: string | number): Promise<unknown> {
  const { rows } = await db.query(FINDS, [text, writeFoldedPattern(asked)])
  return rows[0]![0]
}

const FINDS =
  'select t ~ p or (pb_is_odd(t) and pb_plain(t) ~ p) from (select $1::text t, $2::text collate "C" p) as asked'
/** Letters that Postgres searches an index of trigrams for. */
const USUAL =
  'the quick brown fox – „Größe“ çà Łódź Đà İ ı naïve café señor ÅØÆ œuvre Привет, Київ й ё Άλφα και 中文，字。かな ガ 한국어 العربية أحمد עברית हिन्दी ไทยน้ำ 👍'

interface Spellings {
  readonly asked: string
  readonly found: readonly string[]
  readonly other: readonly string[]
}

const SPELLINGS: readonly Spellings[] = [
  {
    asked: 'Zürich',
    found: ['Zu\u0308rich', 'ＺＵＲＩＣＨ', 'Zü\u200bri\u00adch', 'ZURICH', '𝗭𝘂𝗿𝗶𝗰𝗵'],
    other: ['Zuerich'],
  },
  {
    asked: 'Anna Öz',
    found: ['Anna\u00a0O\u0308z', 'anna\u202f\u2003öz', 'ANNA\nOZ'],
    other: ['AnnaOz'],
  },
  { asked: 'lodz', found: ['Łódź', 'ŁÓDŹ', 'L\u0301o\u0301dz'], other: ['ldz'] },
  { asked: 'Łódź', found: ['lodz', 'LODZ'], other: ['lotz'] },
  { asked: 'oresund', found: ['Øresund', 'Öresund', 'ǾRESUND'], other: ['Oeresund'] },
  { asked: 'dakovo', found: ['Đakovo', 'đakovo', 'Ðakovo'], other: ['Takovo'] },
  { asked: 'strasse', found: ['Straße', 'STRAẞE', 'stra\u017f\u017fe'], other: ['Strase'] },
  { asked: 'aero', found: ['Ærø', 'ǣro', 'ÆRO'], other: ['aro'] },
  { asked: 'coeur', found: ['cœur', 'CŒUR'], other: ['cour'] },
  { asked: 'cœur', found: ['COEUR', 'coeur'], other: ['cur'] },
  { asked: 'isik', found: ['Işık', 'IŞIK', 'İŞİK', 'ışıK'], other: ['asik'] },
  { asked: 'final', found: ['ﬁnal', 'ﬁＮＡＬ'], other: ['fnal'] },
  { asked: 'office', found: ['oﬀice', 'oﬃce'], other: ['ofice'] },
  { asked: 'thor', found: ['Þór', 'þor'], other: ['tor'] },
  { asked: 'viet nam', found: ['Việt Nam', 'VIÊ\u0323T NAM'], other: ['vit nam'] },
  { asked: 'duong', found: ['Đường', 'đuo\u031bng'], other: ['dang'] },
  { asked: 'ege', found: ['ēģė', 'ȅĝẹ'], other: ['aga'] },
  { asked: 'ΑΘΗΝΑ', found: ['Αθήνα', 'αθη\u0301να', 'ἀθῆνα'], other: ['αθινα'] },
  { asked: 'елка', found: ['ёлка', 'Ёлка', 'е\u0308лка'], other: ['алка'] },
  { asked: 'क़लम', found: ['क\u093cलम'], other: ['कलम'] },
  { asked: 'أحمد', found: ['ا\u0654حمد', 'ﺃحمد'], other: ['احمد'] },
  { asked: 'ガ', found: ['ｶﾞ', 'カ\u3099'], other: ['カ'] },
  { asked: 'น้ำ', found: ['น้ํา'], other: ['นำ', 'น่ำ'] },
  { asked: '각', found: ['\u1100\u1161\u11a8'], other: ['가'] },
  { asked: '1!', found: ['１！', '①!'], other: ['1'] },
]

test.each(SPELLINGS)(
  '$asked is found in each of its spellings alone',
  async ({ asked, found, other }) => {
    for (const text of found) {
      expect(await finds(`x ${text} y`, asked), text).toBe(true)
      expect(await finds(`x ${asked} y`, text), `asked: ${text}`).toBe(true)
    }
    for (const text of other) {
      expect(await finds(text, asked), text).toBe(false)
      expect(foldText(text)).not.toContain(foldText(asked))
    }
  },
)

test('Postgres finds each letter of Unicode in the letters that the server writes for it', async () => {
  const codes = await db.query(
    `select n, chr(n) from generate_series(1, 262143) n
     where n not between 55296 and 57343 and chr(n) is normalized is not null`,
  )
  const asked = codes.rows
    .map(([, letter]) => String(letter))
    .filter((letter) => foldText(letter) !== letter && isOld(letter))
    .map((letter) => ({ letter, pattern: writeFoldedPattern(foldText(`a${letter}b`)) }))
  const missed = await db.query(
    `select letter from json_to_recordset($1::json) asked(letter text, pattern text)
     cross join lateral (select 'a' || letter || 'b' as t, pattern collate "C" as p) as one
     where not (t ~ p or (pb_is_odd(t) and pb_plain(t) ~ p))`,
    [JSON.stringify(asked)],
  )
  expect(missed.rows.map(([letter]) => letter)).toEqual([])
})

/** Whether each supported Postgres knows the letter: it is no newer than Unicode 14. */
const isOld = (letter: string): boolean =>
  !/\p{Cn}/u.test(letter) && /[^\ua7f1\u{10570}-\u{105ff}\u{11f00}-\u{11fff}]/u.test(letter)

test('texts in the usual letters of many alphabets are searched by trigrams', async () => {
  for (const word of USUAL.split(' ').filter((one) => one !== 'İ')) {
    const { rows } = await db.query('select pb_is_odd($1::text)', [word])
    expect(rows[0]![0], word).toBe(false)
  }
})

test.each([
  ['jorg', 'Anruf von Jörg'],
  ['JÖRG', 'jorg'],
  ['Jörg', 'J\u00d6RG'],
  ['jo\u0308rg', 'Jörg'],
  ['préféré', 'PREFERE'],
  ['strasse', 'Hauptstraße 5'],
  ['STRAßE', 'Hauptstrasse 5'],
  ['GROSS', 'groß'],
  ['ПРИВЕТ', 'привет'],
  ['σας', 'ΣΑΣ'],
  ['İstanbul', 'İstanbul'],
  ['istanbul', 'ISTANBUL'],
  ['łódź', 'LODZ'],
  ['100%', '100% sure'],
  ['a.b*(c)[d]{e}\\f^$|?+', 'A.B*(C)[D]{E}\\F^$|?+'],
  ['👍 ok', '👍 OK'],
  ['', 'all'],
  ['x'.repeat(200), `a${'X'.repeat(200)}`],
  ['eau', 'ÉAÜ'],
  ['jö', 'Jo'],
  ['ou', 'Öü'],
  [5, 'room 5'],
])('%j is found in %j', async (asked, text) => {
  expect(await finds(text, asked)).toBe(true)
})

test.each([
  ['jorg', 'Jürg'],
  ['100%', '1000'],
  ['a.c', 'abc'],
  ['strase', 'Straße'],
  ['[a-z]', 'b'],
])('%j is not found in %j', async (asked, text) => {
  expect(await finds(text, asked)).toBe(false)
})

test('a text of vowels has few enough trigrams for an index', () => {
  expect(writeFoldedPattern('EAU')).toMatch(/^\[eE.+\]\[aA\]\[uU.+\]$/)
  expect(writeFoldedPattern('aut')).toMatch(/^\[aA.+\]\[uU.+\]\[tT.+\]$/)
})

test('a text of more than 200 characters is found nowhere', async () => {
  expect(await finds('x'.repeat(300), 'x'.repeat(201))).toBeNull()
})

test.each([
  'name:fold = "a"',
  'name:fold > "a"',
  'name:fold ~ name',
  '"a" ~ name:fold',
  'name ~ name:fold',
])('the filter %s is refused', async (filter) => {
  expect(await world.ask('ann', 'tags', filter)).toBe('refused')
})

test('a folded field is compared through relations, and by each of its values', async () => {
  const names = await world.ask('root', 'tags', 'name:fold !~ "nothing of this"')
  expect(names).toEqual(await world.ask('root', 'tags', ''))
})
