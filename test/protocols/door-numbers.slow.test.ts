import { readTypedPhone } from '../../src/portable/phone/read-typed-phone.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'
import { PHONE_TABLE } from '../support/phone-table.ts'
import { must } from '../support/server/server-with-devices.ts'
import type { SmsgateFixture } from '../support/smsgate/smsgate-fixture.ts'
import { isTried } from '../support/tries-all.ts'
import { DEVICES } from './devices-that-hear.ts'
import { startWaysIn } from './doors-in.ts'

// Numbers of every kind, against every way in which a number comes to the server. All ways have one reader
// (test/portable/one-reader), and test/portable/phone.test.ts has it read the whole table: what a way can do
// wrong is to lose characters, to forget the account's country, and to ask the reader for the wrong thing.

/** What a URL, a form, a mail, CSV or JSON may lose, and one number of each kind for the reader. */
const FORMS = new Set([
  ...['+4915120000010', '+49 151 20000010', '[+49] 151 20000010', '+49\u00a0151\u202f20000010'],
  ...['+49\t151 20000010', '+49/151/20000010', "+41 79'123'45'67", '  +49 151 20000010  '],
  ...[
    '\u202a+49 151 20000010\u202c',
    '\ufeff+4915120000010',
    '＋４９１５１２０００００１０',
    '٠١٥١٢٠٠٠٠٠١٠',
  ],
  ...[
    'tel:+4915120000010',
    'tel:0151-20000010;phone-context=+49',
    '011 49 151 20000010',
    '004915120000010',
    '0049 151 20000010',
  ],
  ...['+49 (0)151 20000010', '0151 20000010', '(0151) 200 000 10', '(415) 555-2671', '4155552671'],
  ...['+33 6 12 34 56 78', '4915120000010', '447911123456', '0151', '+49 151 20000010 1234'],
  ...[
    '++4915120000010',
    '+',
    '+49 151 20000010 ext. 5',
    '+4915120000010;ext=5',
    '+4915120000010#5',
    '*100#',
    'Telekom',
  ],
  ...[
    'anna@example.com',
    '72722',
    '123456',
    '1701234567.0',
    '1.70e9',
    '+5215512345678',
    '+541123456789',
  ],
])
const NUMBERS = PHONE_TABLE.filter(([form]) => FORMS.has(form))

const { ways, live, user, phone, api, gateway } = await startWaysIn()

/** Ways in which persons type: digits without `+` are a number of their country. */
const BY_PERSONS = ['bulk', 'conversations', 'devices']

/** A mail's address has no spaces, brackets or letters of other scripts. */
const isUnspeakable = (way: string, form: string) =>
  way === 'mail' && /[^\x21-\x7e]|[()[\]<>@,;:"\\]/.test(form)

const COUNTRIES = Map.groupBy(NUMBERS, ([, country]) => country)

test('the tested numbers are the numbers of the table', () => {
  expect(new Set(NUMBERS.map(([form]) => form))).toEqual(FORMS)
})

test('every foreign API and every record with a number is tested here', () => {
  const groups = PROTOCOLS.map(({ group }) => group)
  const named = Object.keys(ways)
  expect(groups.filter((group) => !named.some((way) => way.startsWith(group)))).toEqual([])
})

/** Each way, with its numbers: on a landing every other one, of the next way the others. */
const WAYS = Object.keys(ways).map((way, row) => {
  const tried = NUMBERS.filter((_, column) => isTried(row, column))
  return [way, Map.groupBy(tried, ([, country]) => country)] as const
})

describe.each(WAYS)('%s', (way, countries) => {
  test('reads numbers of every kind', async () => {
    const wrong: string[] = []
    for (const [country, rows] of countries) {
      await live(country)
      for (const [form, , home, inWorld] of rows) {
        const expected = BY_PERSONS.includes(way) ? home : inWorld
        const number = await ways[way]!(form, country)
        const stored = expected.startsWith('+') ? expected : ''
        // a conversation may be with a sender that is a name or a short code
        const isSender = way === 'conversations' && number === form
        if (number !== stored && !isSender && !(number === '' && isUnspeakable(way, form)))
          wrong.push(
            `${JSON.stringify(form)} in ${country || 'no country'}: ${number}, not ${stored}`,
          )
      }
    }
    expect(wrong).toEqual([])
  }, 300_000)
})

test('the console reads all phone numbers of the table, typed or from files', () => {
  for (const [form, country, strict] of PHONE_TABLE) {
    const { phone = '' } = readTypedPhone(form, country)
    // a quotation mark beside a number, as Excel writes, is no part of it to this reader
    const bare = form.replace(/^'|'$/g, '')
    const home =
      PHONE_TABLE.find(([other, its]) => other === bare && its === country)?.[2] ?? strict
    expect([form, country, phone]).toEqual([form, country, home === 'short' ? '' : home])
  }
})

test.each(['/api/sms/send', '/api/sms/send-template'])(
  '%s accepts E.164 numbers only',
  async (path) => {
    await live('DE')
    const template = await must(user, 'POST', '/api/collections/sms_templates/records', {
      user: user.id,
      name: path,
      body: 'Hi',
    })
    const content = path.endsWith('send') ? { body: 'Hi' } : { template_id: template.id }
    for (const [form] of NUMBERS) {
      const { status, body } = await api('POST', path, { recipients: [form], ...content })
      const isStrict = /^\+[1-9]\d{6,14}$/.test(form)
      expect([form, status, body.error]).toEqual([
        form,
        isStrict ? 200 : 400,
        isStrict ? undefined : 'invalid_phone_number',
      ])
    }
  },
)

test('incoming senders are stored as numbers or unchanged names', async () => {
  for (const [country, rows] of COUNTRIES) {
    await live(country)
    await gateway.query('delete from sms_messages')
    const forms = rows.map(([form]) => form)
    for (const from of forms) await gateway.hear(phone, [[from.slice(0, 50), from]])
    const stored = await gateway.query('select body, "from" from sms_messages')
    const froms = new Map(stored.map(([body, from]) => [String(body), String(from)]))
    for (const [form, , home, inWorld] of rows) {
      const number = country === '' ? home : inWorld
      expect([form, country, froms.get(form)]).toEqual([
        form,
        country,
        number.startsWith('+') ? number : form,
      ])
    }
  }
})

/** Ways that store a number of a person, or send a code: a short code is none. */
const NO_SHORT_CODES = ['twilio verify', 'verify', 'hooks codes', 'devices']

/** A short code of each way: the one before may have a conversation already. */
const SHORT_CODES = Object.keys(ways).map((way, i) => [way, String(72_700 + i)] as const)

test.each(SHORT_CODES)(
  '%s sends to the short code %s if the account allows it',
  async (way, code) => {
    await live('DE', { short_codes: true })
    const sent = await ways[way]!(code, 'DE')
    await live('DE', { short_codes: false })
    expect(sent).toBe(NO_SHORT_CODES.includes(way) ? '' : code)
  },
)

/** Forms that a file name of gammu cannot have. */
const isNoFileName = (form: string) => /[/\\\t]/.test(form)

test.each(['gammu', 'modemmanager', 'termux'])(
  'a text that %s hands over is from the number of its sender',
  async (kind) => {
    const owner = await gateway.makeUser()
    const settings = { user: owner.id, country: 'DE' }
    await must(gateway.superuser, 'POST', '/api/collections/user_settings/records', settings)
    const rows = PHONE_TABLE.filter(
      ([form, country]) => country === 'DE' && !(kind === 'gammu' && isNoFileName(form)),
    )
    // only the app of SMSGate uses the rest of the fixture
    const hear = await DEVICES[kind]!({ gateway } as SmsgateFixture, owner)
    await hear(rows.map(([form]) => [form, form]))
    const incoming = `select body, "from" from sms_messages where "user" = $1 and message_type = 'incoming'`
    const stored = () => gateway.query(incoming, [owner.id])
    await expect.poll(async () => (await stored()).length, { timeout: 120_000 }).toBe(rows.length)
    const froms = new Map((await stored()).map(([body, from]) => [body, from]))
    expect(rows.map(([form]) => [form, froms.get(form)])).toEqual(
      rows.map(([form, , , inWorld]) => [form, inWorld.startsWith('+') ? inWorld : form]),
    )
  },
  200_000,
)
