import { type AlarmNews, renderAlarmMail } from '../../../src/gateway/alarms/render-alarm-mail.ts'

const SENDER = { appName: 'Acme & Sons', appUrl: 'https://sms.example.com' }
const SILENT: AlarmNews = {
  name: 'desk phone',
  isSilent: true,
  silentSince: '2026-11-20 07:00:12.345Z',
  backSince: '2026-11-20 08:00:00.000Z',
  waiting: 0,
  moved: 0,
}
const REFUSED: AlarmNews = { name: 'Twilio', fault: 'The carrier refused it: 401', waiting: 0 }
const BACK: AlarmNews = { ...SILENT, name: 'spare phone', isSilent: false }

test.each<[what: string, news: AlarmNews[], subject: string]>([
  ['a single device is silent', [SILENT], 'desk phone is silent'],
  ['a single device is back', [BACK], 'spare phone is back'],
  ['many devices are silent', [SILENT, SILENT, SILENT], '3 devices are silent'],
  [
    'a single device is failing',
    [{ ...BACK, failingSince: SILENT.silentSince }],
    'spare phone is failing',
  ],
  [
    'a country that is stopped',
    [{ name: 'shop', stoppedCountry: '+7840', waiting: 0 }],
    'shop is sending no codes to +7840',
  ],
  [
    'a line that is at its budget',
    [{ name: 'Twilio', budget: '20.00 EUR', waiting: 0 }],
    'Twilio is at the monthly budget',
  ],
  ['a carrier that sends nothing', [REFUSED], 'Twilio is unable to send'],
  ['many carriers that send nothing', [REFUSED, REFUSED], '2 devices are unable to send'],
  ['both at once', [SILENT, SILENT, BACK], '2 devices are silent, spare phone is back'],
  [
    'a name stays on its line',
    [{ ...SILENT, name: ' a\r\nBcc: b@example.com ' }],
    'a Bcc: b@example.com is silent',
  ],
  ['the name is blank', [{ ...SILENT, name: ' \n ' }], 'A device is silent'],
  [
    'the name is too long',
    [{ ...SILENT, name: '📱'.repeat(255) }],
    `${'📱'.repeat(59)}… is silent`,
  ],
])('the subject of an alarm mail, if %s: "$2"', (_, news, subject) => {
  expect(renderAlarmMail(news, SENDER).subject).toBe(subject)
})

describe('the text of an alarm mail', () => {
  test.each<[what: string, news: AlarmNews, line: string]>([
    [
      'no message that waits',
      SILENT,
      'desk phone has been silent since 20 Nov 2026, 07:00 UTC. No messages wait for it.',
    ],
    ['one message', { ...SILENT, waiting: 1 }, '1 message waits for it.'],
    ['two messages', { ...SILENT, waiting: 2 }, '2 messages wait for it.'],
    [
      'one message moved to another device',
      { ...SILENT, moved: 1 },
      '1 was handed to other devices.',
    ],
    [
      'messages that wait and others that moved',
      { ...SILENT, waiting: 2, moved: 5 },
      '2 messages wait for it, 5 were handed to other devices.',
    ],
    [
      'back',
      BACK,
      'spare phone is back since 20 Nov 2026, 08:00 UTC. It was silent from 20 Nov 2026, 07:00 UTC on.',
    ],
    [
      'a used budget',
      { name: 'Twilio', budget: '20.00 EUR', waiting: 0 },
      'Twilio has reached its monthly budget of 20.00 EUR: a text did not fit any more.',
    ],
    [
      'a stopped country',
      { name: 'shop', stoppedCountry: '+7840', waiting: 0 },
      'shop sends no codes to numbers that begin with +7840 any more',
    ],
    [
      'a name that is HTML',
      { ...SILENT, name: '<img src=x>' },
      '&lt;img src=x&gt; has been silent',
    ],
  ])('the text of an alarm mail says with %s: $2', (_, news, line) => {
    expect(renderAlarmMail([news], SENDER).html).toContain(line)
  })

  test('an alarm mail is in the language of its reader, at the time of their zone', () => {
    const reader = { language: 'de', timeZone: 'Europe/Berlin' } as const
    const news = [{ ...SILENT, waiting: 2, moved: 1 }, BACK]
    const { subject, html } = renderAlarmMail(news, SENDER, reader)
    expect(subject).toBe('desk phone meldet sich nicht, spare phone ist wieder da')
    expect(html).toContain('<html lang="de">')
    expect(html).toContain(
      'desk phone meldet sich seit 20. Nov. 2026, 08:00 MEZ nicht. 2 Nachrichten warten darauf, 1 wurde an andere Geräte übergeben.',
    )
    expect(html).toContain('>Ihre Geräte</a>')
  })

  test.each([
    ['devices', 'delete the device, and pair the phone again.'],
    ['members', 'end the sessions of this member, or remove the member.'],
    ['api_keys', 'make a new secret for it.'],
  ])(
    'the text of an alarm mail says what to do about a use of %s elsewhere',
    (refusedOf, advice) => {
      const news = { name: '', refusedAddress: '198.51.100.7', refusedOf, waiting: 0 }
      const { html } = renderAlarmMail([news], SENDER)
      expect(html).toContain('<p>A key was used at 198.51.100.7, which its list of addresses')
      expect(html).toContain(`it was refused. If that was not you, ${advice} If it was, add`)
    },
  )

  test('the text of an alarm mail links to the devices and names the sender', () => {
    const { html } = renderAlarmMail([SILENT], SENDER)
    expect(html).toContain('href="https://sms.example.com/#/devices"')
    expect(html).toContain('<p>Acme &amp; Sons</p>')
  })

  test('the text of an alarm mail lists 100 devices and counts the rest', () => {
    const { html } = renderAlarmMail(Array(130).fill(SILENT), SENDER)
    expect(html.match(/has been silent/g)).toHaveLength(100)
    expect(html).toContain('<p>And 30 more.</p>')
  })
})
