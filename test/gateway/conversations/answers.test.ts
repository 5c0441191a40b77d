import { MAX_ANSWERS_A_DAY } from '../../../src/gateway/conversations/due-answer.ts'
import { matchesKeyword } from '../../../src/gateway/conversations/keyword-match.ts'
import { type LineFixture, openLineFixture } from '../../support/database/line-fixture.ts'

const fixture = await openLineFixture()
const other = await openLineFixture()

beforeEach(async () => {
  await fixture.reset()
  await fixture.lines('a1', 'a2')
})

const GUEST = '+491701234567'

const makeAnswer = (at: LineFixture, columns: Readonly<Record<string, string>> = {}) => {
  const usual = {
    created: 'pb_text(now())',
    match: `'any'`,
    body: `'We are closed'`,
    enabled: 'true',
  }
  const all = { ...usual, ...columns }
  return at.rows(
    `insert into auto_answers (id, "user", updated, ${Object.keys(all).join(', ')})
    values (pb_new_id(), $1, pb_text(now()), ${Object.values(all).join(', ')})`,
    [at.user],
  )
}

test.each([
  ['any', '', 'whatever'],
  ['words', 'hours, open', ' Hours '],
  ['contains', 'hours,price', 'Your HOURS?'],
  ['contains', 'straße', 'In welcher STRASSE?'],
  ['contains', 'preço', 'Qual o PRECO?'],
  ['words', 'clínica', 'Clinica'],
  ['first_word', 'uber', 'Über uns'],
  ['first_word', 'price', ' PRICE: how much?'],
  ['first_word', 'e-mail, opening hours', 'Opening  hours?'],
] as const)('the rule %s "%s" matches the text "%s"', (kind, value, body) => {
  expect(matchesKeyword(kind, value, { body })).toBe(true)
})

test.each([
  ['words', 'hours', 'your hours'],
  ['contains', 'hours', 'hi'],
  ['contains', ' , ', 'hi'],
  ['first_word', 'price', 'prices'],
  ['first_word', 'price', 'the price'],
  // as answers of older versions: nothing runs as an expression
  ['pattern' as 'words', '.*', 'hello'],
] as const)('the rule %s "%s" does not match the text "%s"', (kind, value, body) => {
  expect(matchesKeyword(kind, value, { body })).toBe(false)
})

test('a text is answered once, by the line that received it', async () => {
  await makeAnswer(fixture)
  await fixture.receive('a', GUEST, { sim: 2 })
  expect(await fixture.answer()).toEqual([{ to: GUEST, body: 'We are closed' }])
  expect(await fixture.answer()).toHaveLength(1)
  expect(await fixture.rows(`select line from sms_messages where "to" = $1`, [GUEST])).toEqual([
    [fixture.idOf('a2')],
  ])
  expect(await fixture.rows('select count(*) from _jobs')).toEqual([[0]])
})

test('after a crash between sending the answer and recording it, no second answer is sent', async () => {
  await makeAnswer(fixture)
  const id = await fixture.receive('a', GUEST)
  await fixture.answer()
  await fixture.rows('delete from auto_answers_sent')
  await fixture.rows(`insert into _jobs (kind, key, holder) values ('answer', $1, $2)`, [
    id,
    fixture.user,
  ])
  expect(await fixture.answer()).toHaveLength(1)
  expect(await fixture.rows('select count(*) from _jobs')).toEqual([[0]])
})

test('only the first matching answer is sent', async () => {
  const created = `pb_text(now() - interval '1 minute')`
  await makeAnswer(fixture, { match: `'words'`, value: `'price'`, body: `'10 EUR'`, created })
  await makeAnswer(fixture)
  await fixture.receive('a', GUEST, { body: 'price' })
  await fixture.receive('a', '+491701234568', { body: 'hello' })
  const bodies = (await fixture.answer()).map(({ to, body }) => [to, body]).sort()
  expect(bodies).toEqual([
    [GUEST, '10 EUR'],
    ['+491701234568', 'We are closed'],
  ])
})

test.each([
  ['is disabled', { enabled: 'false' }, {}],
  ['is for another line', { lines: `array['a2000000000000']` }, {}],
  ['is for a name', {}, { from: 'Bank' }],
  ['is for a short code', {}, { from: '72727' }],
  ['is for a word that opts out', {}, { body: 'STOP' }],
  ['is for a word that opts in', {}, { body: 'START' }],
  ['is late', {}, { receivedAt: Date.now() - 2 * 3_600_000 }],
] as const)('no answer is sent if it %s', async (_, columns, text) => {
  await makeAnswer(fixture, columns)
  const { from, ...more } = { from: GUEST, ...text }
  await fixture.receive('a', from, more)
  expect(await fixture.answer()).toEqual([])
})

test('an opted-out number gets no answer', async () => {
  await makeAnswer(fixture)
  await fixture.receive('a', GUEST, { body: 'STOP' })
  await fixture.receive('a', GUEST, { body: 'hello' })
  expect(await fixture.answer()).toEqual([])
})

// 2090-01-11 is a Wednesday, in Berlin an hour before UTC
test.each([
  ['before its hours', '09:00', '17:00', '', '2090-01-11T07:59:59.999Z', 0],
  ['in its hours', '09:00', '17:00', '', '2090-01-11T08:00:00Z', 1],
  ['at the end of its hours', '09:00', '17:00', '', '2090-01-11T15:59:59.999Z', 1],
  ['after its hours', '09:00', '17:00', '', '2090-01-11T16:00:00Z', 0],
  ['during hours that pass midnight', '22:00', '06:00', '', '2090-01-11T04:59:00Z', 1],
  ['without hours', '', '', '', '2090-01-11T03:00:00Z', 1],
  ['on its day', '09:00', '17:00', 'wed', '2090-01-11T12:00:00Z', 1],
  ['on another day', '09:00', '17:00', 'mon,tue', '2090-01-11T12:00:00Z', 0],
])(
  'an answer with hours and days %s is sent $5 time(s)',
  async (_, from, to, days, instant, count) => {
    await fixture.liveIn('Europe/Berlin')
    await fixture.at(instant)
    const list = days ? `array['${days.replaceAll(',', "','")}']` : `'{}'`
    await makeAnswer(fixture, { hours_from: `'${from}'`, hours_to: `'${to}'`, days: list })
    await fixture.receive('a', GUEST)
    expect(await fixture.answer()).toHaveLength(count)
  },
)

test('a number gets the answer once within pause_hours', async () => {
  await makeAnswer(fixture, { pause_hours: '24' })
  await fixture.receive('a', GUEST, { body: 'one' })
  await fixture.answer()
  await fixture.receive('a', GUEST, { body: 'two' })
  await fixture.receive('a', '+491701234568', { body: 'two' })
  expect((await fixture.answer()).map(({ to }) => to).sort()).toEqual([GUEST, '+491701234568'])
  await fixture.rows(`update auto_answers_sent set at = at - interval '25 hours'`)
  await fixture.receive('a', GUEST, { body: 'three' })
  expect(await fixture.answer()).toHaveLength(3)
})

test("an answer from a template is filled with the sender's name", async () => {
  await fixture.rows(
    `insert into sms_templates (id, "user", name, body, created, updated)
    values ('template0000000', $1, 't', 'Hello {{name|you}}', pb_text(now()), pb_text(now()))`,
    [fixture.user],
  )
  await makeAnswer(fixture, { template: `'template0000000'`, body: `''` })
  await fixture.receive('a', GUEST)
  expect(await fixture.answer()).toEqual([{ to: GUEST, body: 'Hello you' }])
})

test('an answer has the date of a contact as its account writes it', async () => {
  await fixture.rows(
    `insert into contact_fields (id, "user", key, name, type, created, updated)
    values ('termin000000000', $1, 'Termin', 'Termin', 'date', pb_text(now()), pb_text(now()))`,
    [fixture.user],
  )
  await fixture.rows(
    `insert into contacts (id, "user", name, phone, data, created, updated)
    values ('guest0000000000', $1, 'Bo', $2, '{"Termin":"2026-12-01"}', pb_text(now()), pb_text(now()))`,
    [fixture.user, GUEST],
  )
  await makeAnswer(fixture, { body: `'{{termin}}, {{Termin:plain}}'` })
  await fixture.receive('a', GUEST)
  expect(await fixture.answer()).toEqual([{ to: GUEST, body: 'December 1, 2026, 2026-12-01' }])
})

test('an answer from a deleted template is not sent', async () => {
  await makeAnswer(fixture, { template: `'template1111111'`, body: `''` })
  await fixture.receive('a', GUEST)
  expect(await fixture.answer()).toEqual([])
})

test('an answer waits up to an hour while no line can send', async () => {
  await makeAnswer(fixture)
  await fixture.receive('a', GUEST)
  await fixture.rows(`update devices set last_seen = ''`)
  expect(await fixture.answer()).toEqual([])
  await fixture.rows(`update devices set last_seen = '2099-01-01 00:00:00.000Z'`)
  await fixture.rows('update _jobs set due_at = now()')
  expect(await fixture.answer()).toHaveLength(1)
})

test('two installations that answer each other stop', async () => {
  await other.reset()
  await other.lines('a1')
  const numbers = new Map([
    [fixture, '+491700000001'],
    [other, '+491700000002'],
  ])
  for (const one of [fixture, other]) await makeAnswer(one)
  await fixture.receive('a', numbers.get(other)!, { body: 'hello' })
  let count = 0
  for (let round = 0; round < 40; round++)
    for (const [one, peer] of [
      [fixture, other],
      [other, fixture],
    ] as const) {
      await one.answer()
      for (const { body } of await one.claim('a')) {
        count++
        await peer.receive('a', numbers.get(one)!, { body: `${body} ${count}` })
      }
      await one.rows('delete from sms_dispatch')
    }
  expect(count).toBe(2 * MAX_ANSWERS_A_DAY)
})
