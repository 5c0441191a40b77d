import { createLogger } from '../../../src/platform/log.ts'
import { startHooksFixture, TO } from './hooks-fixture.ts'

const lines: string[] = []
const log = createLogger({ logLevel: 'warn' }, { write: (line) => void lines.push(line) })
const fixture = await startHooksFixture(log)
const { alice, bob, hookOf, post, textsBy, callsOf, remove } = fixture

describe('the body of a call', () => {
  const named = { recipients: [], recipients_from: 'to' }
  const GRAFANA = { preset: 'grafana', resolved: 'skip' }
  test.each([
    [
      'without a value',
      { preset: 'grafana' },
      { alerts: [{ status: 'firing' }] },
      'alerts.0.labels.',
    ],
    ['without recipients', { recipients: [] }, 'Hi', 'The hook has no recipients.'],
    ['without a template', { preset: 'custom' }, 'Hi', 'The hook has no template.'],
    ['without the recipients field that it names', named, { text: 'Hi' }, 'The body has no to.'],
    [
      'naming a group of another account',
      named,
      { text: 'Hi', to: 'Their group' },
      '"Their group" is neither a number',
    ],
    [
      'with field names that contain NUL',
      { preset: 'grafana' },
      { alerts: { '\0': {} } },
      'The body has no alerts.',
    ],
    [
      'that names by a NUL',
      { recipients_from: 'to' },
      { text: 'Hi', to: 'A\0n' },
      '"An" is neither a number',
    ],
    [
      'with a state that is not a text',
      GRAFANA,
      { status: { toString: 1 } },
      'The body has no alerts.',
    ],
  ])(
    'the body of a call is refused with "$3" and recorded: %s',
    async (_, values, body, message) => {
      const hook = await hookOf(alice, values)
      const answer = await post(hook, body)
      expect(answer).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(message) },
      })
      const error = answer.body.message.replaceAll('\0', '')
      expect(await callsOf(alice, hook)).toMatchObject([{ outcome: 'refused', error }])
      await remove(alice, hook)
    },
  )

  test('the body of a call of 2 MiB is accepted, and a larger one sends one text that says so', async () => {
    const hook = await hookOf(alice)
    expect((await post(hook, 'x'.repeat(2 << 20))).status).toBe(200)
    const large = 'y'.repeat((2 << 20) + 1)
    expect((await post(hook, large)).body.outcome).toBe('sent')
    expect((await post(hook, large)).body.outcome).toBe('repeated')
    const notice = 'Alarm: an alarm was too large to read.'
    expect(await textsBy(hook)).toEqual([`${'x'.repeat(456)}...`, notice])
    const [again, first] = await callsOf(alice, hook)
    const error = 'The body has more than 2 MiB, or too many values.'
    expect(first).toMatchObject({
      outcome: 'sent',
      body: '',
      error,
      texts: [{ to: TO, text: notice }],
    })
    expect(again).toMatchObject({ outcome: 'repeated', body: '' })
    await remove(alice, hook)
  })

  test('the body of a call that grows too large without a declared length, or has too many values, sends a text that says so', async () => {
    const hook = await hookOf(alice, { once_minutes: 0 })
    const url = `${fixture.url}/api/hooks/${hook.secret}`
    const chunks = new Blob(['z'.repeat((2 << 20) + 1)]).stream()
    const grown = await fetch(url, { method: 'POST', body: chunks, duplex: 'half' } as RequestInit)
    expect([grown.status, ((await grown.json()) as { outcome: string }).outcome]).toEqual([
      200,
      'sent',
    ])
    expect((await post(hook, `[${'1,'.repeat(200_000)}1]`)).body.outcome).toBe('sent')
    expect((await post(hook, '['.repeat(100_000) + ']'.repeat(100_000))).body.outcome).toBe('sent')
    expect(await textsBy(hook)).toHaveLength(3)
    await remove(alice, hook)
  })

  test.each([
    ['of codes', { kind: 'codes' }],
    ['that checks signatures', { signing_secret: `whsec_${'a'.repeat(32)}` }],
    ['whose recipients the body names', { recipients: [], recipients_from: 'to' }],
  ])('the body of a call that is too large is refused by a hook %s', async (_, values) => {
    const hook = await hookOf(alice, values)
    expect((await post(hook, 'x'.repeat((2 << 20) + 1))).status).toBe(413)
    expect(await textsBy(hook)).toEqual([])
    expect(await callsOf(alice, hook)).toMatchObject([
      { outcome: 'refused', error: expect.stringContaining('2 MiB') },
    ])
    await remove(alice, hook)
  })

  test.each<[type: string, hex: string, status: number, text: string]>([
    ['text/plain; charset=iso-8859-1', '4772fcdf65', 200, 'Grüße'],
    ['text/plain; charset=utf-16le', '1604', 200, 'Ж'],
    ['text/plain', '4772c3bc', 200, 'Grü'],
    ['application/x-www-form-urlencoded; charset=windows-1251', '746578743d25433621', 200, 'Ж!'],
    ['text/plain', '4772fc', 400, 'The text is not valid in the charset utf-8.'],
    ['text/plain; charset=none', '41', 400, 'The charset "none" is not known.'],
  ])(
    'the body of a call of the type %s with the bytes %s gets %i; its text or recorded error is "%s"',
    async (type, hex, status, text) => {
      const hook = await hookOf(alice)
      const init = {
        method: 'POST',
        headers: { 'content-type': type },
        body: Buffer.from(hex, 'hex'),
      }
      expect((await fetch(`${fixture.url}/api/hooks/${hook.secret}`, init)).status).toBe(status)
      if (status === 200) expect(await textsBy(hook)).toEqual([text])
      else expect(await callsOf(alice, hook)).toMatchObject([{ outcome: 'refused', error: text }])
      await remove(alice, hook)
    },
  )

  test.each<
    [
      name: string,
      parts: readonly (readonly [head: string, hex: string])[],
      status: number,
      text: string,
    ]
  >([
    [
      'a charset of a part',
      [['text"\r\nContent-Type: text/plain; charset=iso-8859-1', '4772fc']],
      200,
      'Grü',
    ],
    [
      'a field _charset_',
      [
        ['text"', 'c6'],
        ['_charset_"', Buffer.from('windows-1251').toString('hex')],
      ],
      200,
      'Ж',
    ],
    ['no charset', [['text"', '4772c3bc']], 200, 'Grü'],
    ['malformed bytes', [['text"', 'fc']], 400, 'The text is not valid in the charset utf-8.'],
    [
      'an unknown charset',
      [['text"\r\nContent-Type: text/plain; charset=none', '41']],
      400,
      'The charset "none" is not known.',
    ],
  ])(
    'the body of a call of a multipart form with %s is answered with $2: "$3"',
    async (_, parts, status, text) => {
      const hook = await hookOf(alice)
      const pieces = parts.flatMap(([head, hex]) => [
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="${head}\r\n\r\n`),
        Buffer.from(hex, 'hex'),
        Buffer.from('\r\n'),
      ])
      const body = Buffer.concat([...pieces, Buffer.from('--b--\r\n')])
      const init = {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body,
      }
      expect((await fetch(`${fixture.url}/api/hooks/${hook.secret}`, init)).status).toBe(status)
      if (status === 200) expect(await textsBy(hook)).toEqual([text])
      else expect(await callsOf(alice, hook)).toMatchObject([{ outcome: 'refused', error: text }])
      await remove(alice, hook)
    },
  )
})

test('the log of a body that a hook cannot read has neither numbers nor words of people', async () => {
  const hook = await hookOf(bob, { preset: 'alertmanager' })
  const refused = async (hook: { secret: string }, body: unknown, type = 'application/json') => {
    lines.length = 0
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'content-type': type }
    const answer = await fetch(`${fixture.url}/api/hooks/${hook.secret}`, {
      method: 'POST',
      headers,
      body: text,
    })
    expect(answer.status).toBe(400)
    return lines.map((line) => JSON.parse(line))
  }
  const form = 'application/x-www-form-urlencoded'
  const words = await refused(hook, 'Call Ann 0151 20000010, Code=7', form)
  expect(words).toMatchObject([{ keys: ['…'] }])
  const keys = { '@type': 1, n_0151_2000_0010: 1, '+4915120000010': 1, event_type: 1 }
  expect(await refused(hook, keys)).toMatchObject([{ keys: ['@type', '…', '…', 'event_type'] }])
  const named = await hookOf(bob, { recipients: [], recipients_from: 'to' })
  const unknown = await refused(named, { text: 'Hi', to: 'Ann "0151 20000010" Lee' })
  expect(unknown).toMatchObject([{ reason: expect.stringMatching(/^"…" is neither/) }])
  await remove(bob, hook)
  await remove(bob, named)
})
