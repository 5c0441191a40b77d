import { MAX_ANSWERS_A_DAY } from '../../../src/gateway/conversations/due-answer.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const server = await startServerWithDevices()
let ann: Client
let phone: Client
let news: string

const GROUPS = '/api/collections/contact_groups/records'
let numbers = 80_000_000
const nextNumber = () => `+4915${numbers++}`

beforeEach(async () => {
  ann = await server.makeUser()
  await must(ann, 'PATCH', `/api/collections/users/records/${ann.id}`, { name: 'Shop' })
  phone = await server.pair(ann, { platform: 'simulator' })
  const group = { user: ann.id, name: 'News', join_words: 'JOIN, join news', join_confirm: true }
  news = (await must(ann, 'POST', GROUPS, group)).id
})

/** All texts that were sent to a number, once there are as many as `count`, the oldest first. */
async function textsTo(number: string, count: number): Promise<string[]> {
  const read = () =>
    server.query(
      'select body from sms_messages where "to" = $1 and "user" = $2 order by created, _rowid',
      [number, ann.id],
    )
  await until('the answers', async () => (await read()).length >= count)
  return (await read()).map(([body]) => String(body))
}
/** All work that texts have caused is done. */
const settled = () =>
  until(
    'no jobs',
    async () =>
      (await server.query(`select 1 from _jobs where kind = 'answer' and dead_at is null`))
        .length === 0,
  )
const hear = (number: string, ...bodies: string[]) =>
  server.hear(
    phone,
    bodies.map((body) => [number, body] as const),
  )
const events = async (number: string) =>
  (
    await server.query(
      'select event, source, said from consents where number = $1 and "user" = $2 order by _rowid',
      [number, ann.id],
    )
  ).map((row) => row.join(' '))
const stateOf = async (number: string) =>
  (
    await server.query('select state from consent_states where number = $1 and "group" = $2', [
      number,
      news,
    ])
  )[0]?.[0]
const contactOf = async (number: string) =>
  (
    await server.query('select opted_out, groups from contacts where phone = $1 and "user" = $2', [
      number,
      ann.id,
    ])
  )[0]

const ASKED =
  'Shop: Reply YES to get texts of News. Message rates may apply. HELP for help, STOP to end.'
const JOINED = 'Shop: You now get texts of News. Reply HELP for help, STOP to end.'

test('JOIN asks, YES confirms and joins the group, STOP ends, START begins again', async () => {
  const number = nextNumber()
  await hear(number, 'Join!')
  expect(await textsTo(number, 1)).toEqual([ASKED])
  expect(await stateOf(number)).toBe('asked')
  expect(await contactOf(number)).toBeUndefined()
  await hear(number, 'yes')
  expect(await textsTo(number, 2)).toEqual([ASKED, JOINED])
  expect(await stateOf(number)).toBe('given')
  expect(await contactOf(number)).toEqual([false, [news]])
  await hear(number, 'STOP')
  expect(await stateOf(number)).toBe('stopped')
  expect(await contactOf(number)).toEqual([true, [news]])
  await hear(number, 'START')
  expect(await contactOf(number)).toEqual([false, [news]])
  expect(await events(number)).toEqual([
    'opt_in keyword Join!',
    'confirmed reply yes',
    'opt_out keyword STOP',
    'opt_in keyword START',
  ])
  const [shown] = await server.query(
    `select shown, version <> '' from consents where event = 'confirmed' and number = $1`,
    [number],
  )
  expect(shown).toEqual([ASKED, true])
})

test('a group without confirmation is joined by the word alone', async () => {
  await must(ann, 'PATCH', `${GROUPS}/${news}`, { join_confirm: false })
  const number = nextNumber()
  await hear(number, 'join  NEWS')
  expect(await textsTo(number, 1)).toEqual([JOINED])
  expect(await contactOf(number)).toEqual([false, [news]])
})

test("the words that confirm and the answers are in the account's language", async () => {
  await must(server.superuser, 'POST', '/api/collections/user_settings/records', {
    user: ann.id,
    opt_out_languages: ['de'],
  })
  const number = nextNumber()
  await hear(number, 'JOIN')
  expect(await textsTo(number, 1)).toEqual([expect.stringContaining('Antworten Sie JA')])
  await hear(number, 'Ja.')
  expect(await textsTo(number, 2)).toEqual([
    expect.anything(),
    expect.stringContaining('Sie erhalten nun'),
  ])
})

test('the question is the text of the group, if it has one', async () => {
  await must(ann, 'PATCH', `${GROUPS}/${news}`, {
    join_text: 'Do you want {group} of {account}? YES',
  })
  const number = nextNumber()
  await hear(number, 'JOIN')
  expect(await textsTo(number, 1)).toEqual(['Do you want News of Shop? YES'])
})

test.each(['help', 'JOIN'])(
  'the answer of the server to %s ends the waiting for one',
  async (body) => {
    const number = nextNumber()
    await hear(number, body)
    await textsTo(number, 1)
    const waiting = 'select unanswered from conversations where number = $1 and "user" = $2'
    expect(await server.query(waiting, [number, ann.id])).toEqual([[false]])
  },
)

test('HELP is answered with the name of the account and the way to stop', async () => {
  const number = nextNumber()
  await hear(number, 'help')
  expect(await textsTo(number, 1)).toEqual([
    'Shop: texts of News. Reply STOP to end them. Message rates may apply.',
  ])
  expect(await events(number)).toEqual([])
})

test("an account's own automatic answer to HELP is sent instead", async () => {
  const own = { user: ann.id, enabled: true, match: 'words', value: 'help', body: 'Call us' }
  await must(ann, 'POST', '/api/collections/auto_answers/records', own)
  const number = nextNumber()
  await hear(number, 'HELP')
  expect(await textsTo(number, 1)).toEqual(['Call us'])
})

test('HELP after STOP is answered once a minute, and nothing else is', async () => {
  await must(ann, 'POST', '/api/collections/auto_answers/records', {
    user: ann.id,
    enabled: true,
    match: 'any',
    body: 'We answer soon',
  })
  const number = nextNumber()
  await hear(number, 'STOP')
  for (const body of ['HELP', 'help', 'Hello?']) await hear(number, body)
  await settled()
  expect(await textsTo(number, 1)).toEqual([
    'Shop: texts of News. Reply STOP to end them. Message rates may apply.',
  ])
  expect(await contactOf(number)).toEqual([true, []])
  expect(
    await server.query(`select 1 from sms_messages where "to" = $1 and status = 'failed'`, [
      number,
    ]),
  ).toEqual([])
  await server.query(`update auth_tries set ends = now() where key like 'help %'`)
  await hear(number, 'HELP')
  expect(await textsTo(number, 2)).toHaveLength(2)
})

test("an account's own answer to HELP goes also to a person who texted STOP", async () => {
  const own = { user: ann.id, enabled: true, match: 'words', value: 'help', body: 'Call us' }
  await must(ann, 'POST', '/api/collections/auto_answers/records', own)
  const number = nextNumber()
  await hear(number, 'STOP')
  await hear(number, 'HELP')
  expect(await textsTo(number, 1)).toEqual(['Call us'])
})

test('a person who left the group stays out until YES', async () => {
  const number = nextNumber()
  const entry = { user: ann.id, number, group: news, event: 'opt_out' }
  await must(ann, 'POST', '/api/collections/consents/records', entry)
  await hear(number, 'JOIN')
  expect(await textsTo(number, 1)).toEqual([ASKED])
  expect(await stateOf(number)).toBe('stopped')
  await hear(number, 'YES')
  expect(await textsTo(number, 2)).toEqual([ASKED, JOINED])
  expect(await stateOf(number)).toBe('given')
  expect(await contactOf(number)).toEqual([false, [news]])
})

test('YES after a STOP that followed the question does not confirm', async () => {
  const number = nextNumber()
  const entry = { user: ann.id, number, group: news, event: 'opt_out' }
  await must(ann, 'POST', '/api/collections/consents/records', entry)
  await hear(number, 'JOIN')
  await textsTo(number, 1)
  await hear(number, 'STOP')
  await hear(number, 'JA')
  await settled()
  expect(await stateOf(number)).toBe('stopped')
  expect(await contactOf(number)).toEqual([true, []])
})

test('JOIN after STOP lifts the opt-out; a STOP after JOIN wins', async () => {
  const [one, two] = [nextNumber(), nextNumber()]
  await hear(one, 'STOP', 'JOIN')
  expect(await textsTo(one, 1)).toEqual([ASKED])
  expect(await contactOf(one)).toEqual([false, []])
  await hear(two, 'JOIN', 'STOP')
  await settled()
  expect(await contactOf(two)).toEqual([true, []])
  expect(await textsTo(two, 0)).toEqual([])
})

test.each([
  ['without a question', async () => {}],
  [
    'after the question has expired',
    async (number: string) => {
      await hear(number, 'JOIN')
      await textsTo(number, 1)
      await server.server.services.store.db.transaction(async (db) => {
        await db.query('alter table consent_states disable trigger consent_states_kept')
        await db.query(
          `update consent_states set until = pb_text(now() - interval '1 minute') where number = $1`,
          [number],
        )
        await db.query('alter table consent_states enable trigger consent_states_kept')
      })
    },
  ],
])('YES %s confirms nothing', async (_, prepare) => {
  const number = nextNumber()
  await prepare(number)
  await hear(number, 'YES')
  await settled()
  expect((await events(number)).filter((event) => event.startsWith('confirmed'))).toEqual([])
  expect(await contactOf(number)).toBeUndefined()
})

test('a number is asked once a minute, and gets a limited number of answers a day', async () => {
  const number = nextNumber()
  await hear(number, 'JOIN', 'JOIN', 'JOIN')
  await settled()
  expect(await textsTo(number, 1)).toEqual([ASKED])
  const endPauses = () => server.query(`update auth_tries set ends = now() where key like '%pause'`)
  for (let i = 0; i < 8; i++) {
    await endPauses()
    await hear(number, 'JOIN')
    await settled()
  }
  expect(await textsTo(number, 1)).toHaveLength(MAX_ANSWERS_A_DAY)
})

test('JOIN questions count as codes: an account asks at most its limit of codes an hour', async () => {
  await must(server.superuser, 'POST', '/api/collections/user_settings/records', {
    user: ann.id,
    code_max_per_account: 5,
  })
  const all = Array.from({ length: 20 }, nextNumber)
  for (const number of all) await hear(number, 'JOIN')
  await settled()
  const [[sent]] = (await server.query(
    'select count(*) from sms_messages where "to" = any($1::text[])',
    [all],
  )) as [[unknown]]
  expect(Number(sent)).toBe(5)
})

test('a sentence that contains JOIN joins no group', async () => {
  const number = nextNumber()
  await hear(number, 'May I join the news?')
  await settled()
  expect(await events(number)).toEqual([])
})
