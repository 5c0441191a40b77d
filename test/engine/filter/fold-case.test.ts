import { writeFoldedPattern } from '../../../src/engine/filter/folded-pattern.ts'
import { testConfig } from '../../support/server/start.ts'
import { openWorld } from './world.ts'

const world = await openWorld(await testConfig())
const { db } = world.store

/** Whether a field that has the text meets `field:fold ~ "…"`. */
async function finds(text: string, asked: string | number): Promise<unknown> {
  const { rows } = await db.query('select $1::text ~ $2::text collate "C"', [
    text,
    writeFoldedPattern(asked),
  ])
  return rows[0]![0]
}

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
