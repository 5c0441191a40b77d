import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { openPreparedDb } from '../../support/server/start.ts'

/** pb_strftime beside SQLite's own strftime. */
const RUNS = 1500
const AT_ONCE = 100

const sqlite = new DatabaseSync(':memory:')
const db = await openPreparedDb()

const one = (...list: string[]) => fc.constantFrom(...list)
const digits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
const date = fc
  .tuple(one('0001', '1970', '1999', '2000', '2023', '2024', '9998'), digits(13), digits(32))
  .map((p) => p.join('-'))
const second = fc.tuple(digits(60), one('', '.5', '.123', '.98765')).map((p) => p.join(''))
const time = fc
  .oneof(fc.tuple(digits(23), digits(60)), fc.tuple(digits(23), digits(60), second))
  .map((p) => p.join(':'))
const zone = one('', '', 'Z', '+02:00', '-11:30', ' +15:00', ' x')
/** Some modifiers of SQLite forget the zone that was read; stored dates have none. */
const isPlain = ([, at, modifiers]: readonly [string, string, readonly string[]]) =>
  modifiers.length === 0 || !/[-+]\d\d:\d\d$/.test(at)
const value = fc.oneof(
  date,
  fc.tuple(date, one(' ', 'T'), time, zone).map((p) => p.join('')),
  fc.tuple(time, zone).map((p) => p.join('')),
  one('', 'abc', '12', ' 2460000 ', '2460000.25', '1700000000'),
)
const unit = one('day', 'days', 'hours', 'minute', 'seconds', 'months', 'year', 'week')
const amount = one('1', '13', '40', '100', '1.5', '0.25')
const starts = 'start of day|start of month|START OF YEAR|weekday 0|weekday 5|weekday 7'.split('|')
const modifier = fc.oneof(
  fc.tuple(one('+', '-', ''), amount, one(' ', '  ', ''), unit).map((p) => p.join('')),
  one(...starts, 'unixepoch', 'auto', 'bad'),
  one('+01:30', '-10:00:00.5', '+0001-02-03', '-0000-11-30 10:30', '+0000-12-01'),
)
// not %J: its last digit depends on how a double is printed
const format = fc
  .array(one(...[...'deFGgHIjklmMpPRsSTuUVwWYf%'].map((letter) => `%${letter}`), '-', 'x', '%q'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((p) => p.join(' '))

test("strftime in filters equals SQLite's", async () => {
  const samples = fc.sample(
    fc.tuple(format, value, fc.array(modifier, { maxLength: 2 })).filter(isPlain),
    {
      numRuns: RUNS,
      seed: 1,
    },
  )
  const calls = samples.map(([form, at, modifiers]) => [form, at, ...modifiers])
  for (let from = 0; from < RUNS; from += AT_ONCE) {
    const some = calls.slice(from, from + AT_ONCE)
    const params = some.flat()
    const marks = params.map((_, i) => `$${i + 1}::text`)
    const texts = some.map((args) => `pb_strftime(${marks.splice(0, args.length).join(', ')})`)
    const { rows } = await db.query(`SELECT ${texts.join(', ')}`, params)
    const theirs = some.map((args) =>
      sqlite.prepare(`SELECT strftime(${args.map(() => '?').join(', ')}) AS text`).get(...args),
    )
    const beside = (found: unknown[]) => some.map((args, i) => ({ args, text: found[i] }))
    expect(beside(rows[0]!)).toEqual(beside(theirs.map((row) => row?.text)))
  }
})
