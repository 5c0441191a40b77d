import { DRIVERS } from '../../src/programs/agent/drivers/drivers.ts'
import { must } from '../support/server/server-with-devices.ts'
import { startSmsgateFixture } from '../support/smsgate/smsgate-fixture.ts'
import { DEVICES } from './devices-that-hear.ts'

const RECORDS = '/api/collections'

/** STOP as people write it, and as phones pass it on. */
const FORMS = [
  ...['STOP', 'stop', 'Stop', ' stop ', 'STOP!', 'Stop.', '"STOP"', '„Stopp“', '«STOP»', '(stop)'],
  ...[
    'STOP\n',
    '\u200eSTOP\u200e',
    'STOP 🙏',
    '👍🏽 stop',
    '*STOP*',
    'ＳＴＯＰ',
    'STOP ALL',
    'stop   all',
  ],
  ...['Opt Out', 'OPTOUT', 'revoke…', '¡Stop!', '\u200bUnsubscribe\u200b', '–– STOP ––'],
]
/** Sentences that only contain a word. */
const SENTENCES = ['Please stop calling me', 'STOP IT', 'I will not stop', 'stop?? no, go on']
/** How a phone shows the senders' numbers. */
const NOTATIONS = [
  (n: string) => `0${n}`,
  (n: string) => `0049${n}`,
  (n: string) => `+49${n}`,
  (n: string) => `49${n}`,
]

const fixture = await startSmsgateFixture()
const { gateway } = fixture
afterAll(() => fixture.stop())

test('every driver of the agent has a device in this test', () => {
  const kinds = Object.keys(DRIVERS)
  expect(kinds.filter((kind) => !(kind in DEVICES))).toEqual([])
})

test.each(Object.keys(DEVICES))(
  'a STOP received by %s opts the number out, and the next text is refused',
  async (kind) => {
    const user = await gateway.makeUser()
    const settings = { user: user.id, country: 'DE', opt_out_languages: ['de'] }
    await must(gateway.superuser, 'POST', `${RECORDS}/user_settings/records`, settings)
    const number = (i: number) => `15177770${String(100 + i)}`
    const bodies = [...FORMS, ...SENTENCES]
    const hear = await DEVICES[kind]!(fixture, user)
    for (const i of bodies.keys())
      await must(user, 'POST', `${RECORDS}/contacts/records`, {
        user: user.id,
        phone: `+49${number(i)}`,
      })
    await hear(bodies.map((body, i) => [NOTATIONS[i % NOTATIONS.length]!(number(i)), body]))
    const count =
      'select count(*) from sms_messages where "user" = $1 and message_type = \'incoming\''
    await expect
      .poll(async () => Number((await gateway.query(count, [user.id]))[0]![0]), { timeout: 90_000 })
      .toBe(bodies.length)
    const contacts = await gateway.query(
      'select phone, opted_out from contacts where "user" = $1 order by phone',
      [user.id],
    )
    expect(contacts).toEqual(bodies.map((_, i) => [`+49${number(i)}`, i < FORMS.length]))
    const recipients = bodies.map((_, i) => `+49${number(i)}`)
    await must(user, 'POST', '/api/sms/send', { recipients, body: 'Hi' })
    const sent = await gateway.query(
      `select "to", error_message from sms_messages where "user" = $1 and message_type = 'outgoing' order by "to"`,
      [user.id],
    )
    expect(sent).toEqual(
      recipients.map((to, i) => [to, i < FORMS.length ? 'Recipient has opted out' : '']),
    )
  },
  200_000,
)
