import { existsSync, globSync, readFileSync } from 'node:fs'
import { must } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'
import { readSource, sources } from '../texts.ts'
import { nextNumber, openSentenceServer, type Sentence, testSentences } from './sentence-fixture.ts'

// Hints beside fields that say what the server does with a value.

const { server, ann, phone, create, change, remove, list, send, claim, hear } =
  await openSentenceServer()

const SENTENCES: readonly Sentence[] = [
  [
    'From -128 to 127; higher goes first.',
    'Von -128 bis 127; höhere zuerst.',
    async () => {
      const [low, high] = [nextNumber(), nextNumber()]
      await send(low, { priority: -1 })
      await send(high, { priority: 1 })
      const taken = (await claim()).map(({ to }) => to).filter((to) => [low, high].includes(to))
      expect(taken).toEqual([high, low])
    },
  ],
  [
    'Separate words by commas. Capitals do not matter.',
    'Trennen Sie Wörter mit Kommas. Großschreibung ist egal.',
    async () => {
      const number = nextNumber()
      const words = { match: 'words', value: 'price, cost', body: 'Ten', enabled: true }
      const { id } = await create('auto_answers', words)
      await hear(number, 'COST')
      await until(
        'the answer',
        async () => (await list('sms_messages', `to = "${number}"`)).length > 0,
      )
      await remove('auto_answers', id)
    },
  ],
  [
    'If empty, the value of each contact is used, or else the default of the text.',
    'Wenn leer, gilt der Wert des jeweiligen Kontakts oder sonst der Standardwert des Textes.',
    async () => {
      const [known, unknown] = [nextNumber(), nextNumber()]
      await create('contacts', { phone: known, name: 'Zoe', data: { city: 'Bonn' } })
      const { id } = await create('sms_templates', { name: 'City', body: 'To {{city|town}}' })
      await must(ann, 'POST', '/api/sms/send-template', {
        recipients: [known, unknown],
        template_id: id,
        variables: {},
      })
      const bodies = [known, unknown].map(
        async (to) => (await list('sms_messages', `to = "${to}"`))[0].body,
      )
      expect(await Promise.all(bodies)).toEqual(['To Bonn', 'To town'])
    },
  ],
  [
    'A number that the phone reports replaces this one.',
    'Eine Nummer, die das Telefon meldet, ersetzt diese.',
    async () => {
      const beat = (sim: object) =>
        must(phone, 'POST', '/api/devices/heartbeat', { sims: [{ slot: 1, ...sim }] })
      await beat({ carrier: 'Carrier' })
      const [line] = await list('lines', `device = "${phone.id}"`)
      await change('lines', line.id, { number: '+4915100000001' })
      await beat({ carrier: 'Carrier', number: '+4915100000002' })
      expect(await list('lines', `id = "${line.id}"`)).toMatchObject([{ number: '+4915100000002' }])
    },
  ],
  [
    'The token is not shown again. Empty: the stored token stays.',
    'Das Token wird nicht wieder angezeigt. Leer: Das gespeicherte Token bleibt.',
    async () => {
      const hook = {
        url: 'https://api.telegram.org',
        events: ['message.sent'],
        ...{ preset: 'telegram', format: 'template', target: '-100', token: 'secret-token' },
      }
      const { id } = await create('webhooks', hook)
      const read = async () => JSON.stringify(await list('webhooks', `id = "${id}"`))
      expect(await read()).not.toContain('secret-token')
      await change('webhooks', id, { target: '-200' })
      const [kept] = await server.query(`select service_token from webhooks where id = '${id}'`)
      expect(kept).not.toEqual([''])
      await remove('webhooks', id)
    },
  ],
  [
    'Recipients do not see the name.',
    'Die Empfänger sehen den Namen nicht.',
    async () => {
      const number = nextNumber()
      const campaign = { name: 'Inner name', recipients: [number], body: 'Sale', hold_seconds: 0 }
      await must(ann, 'POST', '/api/campaigns', campaign)
      let text = ''
      await until('the text', async () => {
        text = JSON.stringify((await claim()).filter(({ to }) => to === number))
        return text !== '[]'
      })
      expect(text).toContain('Sale')
      expect(text).not.toContain('Inner name')
    },
  ],
]

testSentences(SENTENCES)

/** Hints about what the server does, which a test of the server tries. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'Older automatic backups are deleted. Backups that you made yourself stay.':
    'test/http/routes/backup-schedule.slow.test.ts',
  'A new text goes to the owner, admin or agent who has waited longest.':
    'test/gateway/conversations/inbox.test.ts',
  'Who answers with such a word gets no more texts from you. STOP always counts.':
    'test/payloads/incoming.slow.test.ts',
  'Your own phones send first. Carriers send only when none of the phones was online for so long; until then texts wait. 0: carriers take turns with phones.':
    'test/gateway/lines/failover.test.ts',
  'A carrier sends such a text as soon as no phone takes it. 0: all texts wait.':
    'test/gateway/lines/failover.test.ts',
  'One price in each row: alone for all numbers, after first digits for these numbers, after mms for an MMS. The line sends only to numbers that have a price. Empty: texts cost nothing.':
    'test/gateway/lines/prices.test.ts',
  'Empty: the stored value stays.': 'test/http/settings.test.ts',
  'IP addresses and networks such as 203.0.113.7 or 2001:db8::/32, separated by commas. Elsewhere access is refused, and the owner gets a mail if the server sends any. Empty: everywhere.':
    'test/http/key-addresses.test.ts',
  'A line without prices costs nothing.': 'test/gateway/lines/cheapest.test.ts',
  'In {currency}. A text that would exceed the budget uses another line, or waits for the next month.':
    'test/gateway/lines/prices.test.ts',
  'Separate words by commas. A person who texts one of them joins the group.':
    'test/gateway/consent/join.test.ts',
  'Below it, a country is stopped and you get a mail: codes that nobody enters are a sign of fraud. 0: never.':
    'test/gateway/codes/bounds.test.ts',
  'Copy the secret from the program. Bodies that are not signed with the secret are then refused.':
    'test/gateway/hooks/hook-bodies.test.ts',
  'Above the hourly limit, calls are refused. Bodies are not kept.':
    'test/gateway/hooks/hooks.test.ts',
  'Bodies in which this is the same are sent once, such as {{id}}.':
    'test/gateway/hooks/template.test.ts',
  'A longer text is cut: each segment costs as much as a text.':
    'test/gateway/hooks/template.test.ts',
  'A path in the body and its values. Empty: each body is sent.':
    'test/gateway/hooks/hooks.test.ts',
  'The place in the body of numbers or of names of your groups. Empty: the program cannot choose recipients.':
    'test/gateway/hooks/hooks.test.ts',
  'The place in the body of the addresses of pictures, which go with the text; attachments: the pictures of a mail. Empty: none.':
    'test/gateway/hooks/hook-pictures.slow.test.ts',
  'The secret shows that a delivery report or a text is the carrier’s. Without the secret, both are refused.':
    'test/programs/agent/drivers/http/http.test.ts',
  'A number gets this answer once in so many hours. 0: each time, but never more than 5 automatic answers in 24 hours.':
    'test/gateway/conversations/answers.test.ts',
  'The reason stays, with your name and the time. The server hides name and number in it.':
    'test/gateway/people/erase-person.slow.test.ts',
}

/** A word that only hints about the server's work have. Others say what to type or where it is shown. */
const WORK =
  /\b(?:not sent|goes first|joins|refused|deleted|stored (?:token|value) stays|gets? (?:no more|this|a mail)|take turns|costs? nothing|is cut|sent once|replaces)\b/
const HINT = /\bhint(?:=\{|:)[^;]{0,120}?\bt\(\s*'((?:\\.|[^'])*)'/gs

const hints = sources().flatMap((file) =>
  [...readSource(file).matchAll(HINT)].map(([, text = '']) => text),
)

test('each hint about work of the server has a test against the server', () => {
  const tests = globSync('test/console/sentences/*.test.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  expect(hints.length).toBeGreaterThan(60)
  const isTried = (text: string) => tests.includes(`'${text}'`) || text in ELSEWHERE
  expect(hints.filter((text) => WORK.test(text) && !isTried(text))).toEqual([])
})

test('the tests of other hints exist, and the console shows these hints', () => {
  expect([...new Set(Object.values(ELSEWHERE))].filter((file) => !existsSync(file))).toEqual([])
  expect(Object.keys(ELSEWHERE).filter((text) => !hints.includes(text))).toEqual([])
})
