import { estimateCost } from '../../../src/gateway/messages/send/cost-estimate.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture()
const { rows, set, send, lines, store } = fixture

beforeEach(async () => {
  await fixture.reset()
  await rows('delete from line_costs')
  await lines('a1', 'b1', 'c1')
  await set('a1', `prices = '{"default":"0.09","+43":"0.05"}'`)
  await set('b1', `prices = '{"+49":"0.07","+43":"0.1"}', monthly_budget = '0.21'`)
  await set('c1', `prices = '{"default":"0.2"}'`)
})

const cheapest = async () => {
  await fixture.liveIn('Europe/Berlin')
  await rows(`update user_settings set line_choice = 'cheapest', currency = 'EUR'`)
}
const text = (to: string) => ({ recipients: [to] })
const CONFIG = { deviceOnlineSeconds: 120, stickyDays: 0 }
const ANY = { device: '', line: { id: '', number: '' }, sim: 0, priority: 0 }
const named = (fields: object) => ({ ...ANY, ...fields })
const sized = (to: string, segments = 1) => ({ to, segments })
const estimate = (texts: { to: string; segments: number }[], way = ANY) =>
  estimateCost(store, CONFIG, fixture.user, texts, way)
const line = (name: string, texts: number, segments: number, cost: string) => ({
  line: fixture.idOf(name),
  texts,
  segments,
  cost,
})

test('the cheapest line that may send to a number sends, as long as its budget lasts', async () => {
  await cheapest()
  expect(await send(text('+43660123'))).toBe('a1')
  expect(await send(text('+33612345678'))).toBe('a1')
  for (let i = 0; i < 3; i++) expect(await send(text(`+4930123${i}`))).toBe('b1')
  expect(await send(text('+49301239'))).toBe('a1')
})

test('a line without prices is the cheapest, and lines of one price take turns', async () => {
  await cheapest()
  await set('a1', `prices = null`)
  expect(await send(text('+4930123'))).toBe('a1')
  await set('a1', `prices = '{"default":"0.070"}'`)
  const used = await fixture.sendAll({
    recipients: ['+4930124', '+4930125', '+4930126', '+4930127'],
  })
  expect(used.toSorted()).toEqual(['a1', 'a1', 'b1', 'b1'])
})

test('by default lines of different prices take turns', async () => {
  const used = await fixture.sendAll({ recipients: ['+4930124', '+4930125', '+4930126'] })
  expect(used.toSorted()).toEqual(['a1', 'b1', 'c1'])
})

test('an estimate shows the texts and costs of each line, and takes no turn and no budget', async () => {
  await cheapest()
  const texts = [sized('+43660123', 3), sized('+4930123'), sized('+4930124', 2), sized('+4930125')]
  const expected = {
    currency: 'EUR',
    lines: [line('a1', 2, 4, '0.24'), line('b1', 2, 3, '0.21')],
    waiting: 0,
  }
  for (let i = 0; i < 2; i++) expect(await estimate(texts)).toEqual(expected)
  expect(await rows('select * from line_costs')).toEqual([])
  expect(await fixture.sendAll({ recipients: texts.map(({ to }) => to) })).toEqual([
    'a1',
    'b1',
    'b1',
    'b1',
  ])
})

test('an estimate follows the line that the request names, and counts texts that would wait', async () => {
  const way = named({ line: { id: fixture.idOf('b1'), number: '' } })
  const texts = [1, 2, 3, 4].map((i) => sized(`+493012${i}`))
  expect(await estimate(texts, way)).toEqual({
    currency: '',
    lines: [line('b1', 3, 3, '0.21')],
    waiting: 1,
  })
})

test('without prices there is no estimate', async () => {
  for (const name of ['a1', 'b1', 'c1']) await set(name, `prices = null, monthly_budget = ''`)
  expect(await estimate([sized('+4930123')])).toEqual(null)
})
