import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importFiles } from '../../../src/engine/import/import-fixtures.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { chooseTextLanguage } from '../../../src/portable/country-languages.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// The opt-out words of an account follow its country and its owner's language, until somebody chooses.

const server = await startServerWithDevices()
const SETTINGS = '/api/collections/user_settings/records'
const USERS = '/api/collections/users/records'
const ANSWERS = '/api/collections/auto_answers/records'
let ann: Client
let numbers = 81_000_000
const nextNumber = () => `+4915${numbers++}`

beforeEach(async () => {
  ann = await server.makeUser()
})

const readSettings = async (user = ann.id) =>
  (await must(server.superuser, 'GET', `${SETTINGS}?filter=(user="${user}")`)).items[0]
const languagesOf = async (user = ann.id) => (await readSettings(user))?.opt_out_languages
const store = (by: Client, values: object) =>
  must(by, 'POST', SETTINGS, { user: ann.id, ...values })
const change = async (by: Client, values: object) =>
  must(by, 'PATCH', `${SETTINGS}/${(await readSettings()).id}`, values)
const speak = (by: Client, language: string) =>
  must(by, 'PATCH', `${USERS}/${ann.id}`, { language })

test.each([
  [
    'an owner stores the country',
    () => store(ann, { country: 'DE', time_zone: 'Europe/Berlin' }),
    ['de'],
  ],
  ['a superuser stores it', () => store(server.superuser, { country: 'BE' }), ['nl', 'fr', 'de']],
  [
    'a batch stores it',
    () =>
      must(server.superuser, 'PATCH', '/api/settings', {
        batch: { enabled: true, maxRequests: 50, timeout: 3 },
      }).then(() =>
        must(ann, 'POST', '/api/batch', {
          requests: [{ method: 'POST', url: SETTINGS, body: { user: ann.id, country: 'CH' } }],
        }),
      ),
    ['de', 'fr', 'it'],
  ],
  [
    'the country comes later',
    async () => {
      await store(ann, { time_zone: 'America/Sao_Paulo' })
      await change(ann, { country: 'BR' })
    },
    ['pt'],
  ],
  [
    'the language comes before the country',
    async () => {
      await speak(ann, 'fr')
      await store(ann, { country: 'CH' })
    },
    ['fr', 'de', 'it'],
  ],
  [
    'the language comes after the country',
    async () => {
      await store(ann, { country: 'CA' })
      await speak(ann, 'es')
    },
    ['es', 'fr'],
  ],
  [
    'a superuser stores the language',
    async () => {
      await store(ann, { time_zone: 'Europe/Vienna' })
      await speak(server.superuser, 'de')
    },
    ['de'],
  ],
  ['the country has none of our languages', () => store(ann, { country: 'TR' }), []],
] as const)('when %s, its languages are chosen', async (_, act, languages) => {
  await act()
  expect(await languagesOf()).toEqual(languages)
  expect((await readSettings()).opt_out_chosen).toBe(false)
})

test.each([
  ['with the country', () => store(ann, { country: 'DE', opt_out_languages: [] }), []],
  [
    'before the country',
    async () => {
      await store(ann, { opt_out_languages: ['es'] })
      await change(ann, { country: 'DE' })
    },
    ['es'],
  ],
  [
    'by a modifier',
    async () => {
      await store(ann, { time_zone: 'Europe/Berlin' })
      await change(ann, { 'opt_out_languages+': 'it', country: 'DE' })
    },
    ['it'],
  ],
  [
    'before the language',
    async () => {
      await store(ann, { country: 'DE', opt_out_languages: [] })
      await speak(ann, 'fr')
    },
    [],
  ],
] as const)('what somebody chooses %s stays', async (_, act, languages) => {
  await act()
  expect(await languagesOf()).toEqual(languages)
  expect((await readSettings()).opt_out_chosen).toBe(true)
})

test('an account that has a country already keeps its languages', async () => {
  await store(ann, { country: 'DE', opt_out_languages: [] })
  await server.query('update user_settings set opt_out_chosen = false where "user" = $1', [ann.id])
  await change(ann, { country: 'DE', currency: 'EUR' })
  await speak(ann, 'de')
  expect(await languagesOf()).toEqual([])
})

test('a client cannot claim that a person has chosen', async () => {
  await store(ann, { country: 'DE', opt_out_chosen: true })
  expect((await readSettings()).opt_out_chosen).toBe(false)
})

test('an import stores the languages of the country', async () => {
  const file = join(temporaryFolder(), 'fixtures.json')
  const record = { id: 'settings0000001', user: ann.id, country: 'PL' }
  writeFileSync(file, JSON.stringify({ user_settings: [record] }))
  const { store: catalog } = server.server.services
  await importFiles(
    catalog,
    collectExtensions({ webhookAllowPrivate: false }),
    { fixtures: file },
    () => {},
  )
  expect(await languagesOf()).toEqual(['pl'])
})

const readOut = async (number: string) =>
  (
    await server.query('select opted_out from contacts where "user" = $1 and phone = $2', [
      ann.id,
      number,
    ])
  )[0]?.[0]
const sentTo = (number: string) =>
  server.query('select body from sms_messages where "user" = $1 and "to" = $2', [ann.id, number])
const settled = () =>
  until(
    'no jobs',
    async () =>
      (await server.query(`select 1 from _jobs where kind = 'answer' and dead_at is null`))
        .length === 0,
  )

test.each([
  ['STOPP', true],
  ['Abmelden', true],
  ['Stopp bitte', undefined],
  ['keine SMS mehr bitte', undefined],
  ['Bitte keine Nachrichten mehr', undefined],
] as const)('in Germany, "%s" gets no automatic answer, whichever matches', async (body, isOut) => {
  await store(ann, { country: 'DE' })
  const phone = await server.pair(ann, { platform: 'simulator' })
  for (const rule of [{ match: 'any' }, { match: 'contains', value: 'stopp,keine,abmelden' }])
    await must(ann, 'POST', ANSWERS, {
      user: ann.id,
      enabled: true,
      body: 'We are closed',
      ...rule,
    })
  const [number, other] = [nextNumber(), nextNumber()]
  await server.hear(phone, [
    [number, body],
    [other, 'Bitte keine Nachrichten mehr nach 22 Uhr'],
  ])
  await settled()
  expect(await readOut(number)).toBe(isOut)
  expect(await sentTo(number)).toEqual([])
  expect(await readOut(other)).toBeUndefined()
  expect(await sentTo(other)).toEqual([['We are closed']])
})

test('without settings, the words of the owner’s language opt out', async () => {
  await speak(ann, 'de')
  const phone = await server.pair(ann, { platform: 'simulator' })
  const number = nextNumber()
  await server.hear(phone, [[number, 'STOPP']])
  expect(await readOut(number)).toBe(true)
})

test.each([
  [{ country: 'DE' }, '', 'Antworten Sie JA'],
  [{ country: 'CH' }, 'fr', 'Répondez OUI'],
  [{ country: 'CA' }, '', 'Reply YES'],
  [{ country: 'CA' }, 'fr', 'Répondez OUI'],
  [{ country: 'DE', opt_out_languages: [] }, 'en', 'STOP zum Abmelden'],
  [{ country: 'TR' }, 'de', 'Antworten Sie JA'],
] as const)(
  'the question to join of an account of %j with an owner of "%s" says: %s',
  async (settings, language, words) => {
    await store(ann, settings)
    if (language) await speak(ann, language)
    const phone = await server.pair(ann, { platform: 'simulator' })
    const group = { user: ann.id, name: 'News', join_words: 'JOIN', join_confirm: true }
    await must(ann, 'POST', '/api/collections/contact_groups/records', group)
    const number = nextNumber()
    await server.hear(phone, [[number, 'Join']])
    await until('the question', async () => (await sentTo(number)).length > 0)
    expect((await sentTo(number))[0]?.[0]).toContain(words)
  },
)

test.each([
  [{ chosen: ['de'], country: 'DE', language: 'de' }, 'en', 'de'],
  [{ chosen: ['de', 'fr', 'it'], country: 'CH', language: 'de' }, 'fr', 'fr'],
  [{ chosen: [], country: 'DE', language: 'de' }, 'es', 'es'],
  [{ chosen: ['fr'], country: 'CA', language: '' }, 'en', 'en'],
] as const)(
  'a page of an account with %j asks a visitor who reads %s in %s',
  (spoken, visitor, language) => {
    expect(chooseTextLanguage(spoken, visitor)).toBe(language)
  },
)
