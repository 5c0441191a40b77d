import {
  deleteOldVerifications,
  expireVerifications,
} from '../../../src/gateway/codes/expire-verifications.ts'
import { claimMessages } from '../../../src/gateway/messages/queue/claim-messages.ts'
import {
  ANN,
  as,
  BEN,
  CLEO,
  PHONES,
  startServerWithUsers,
  TEMPLATES,
} from '../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
const { store } = server

const TO = '+4915112345678'
type Named = { id?: string; to?: string; service?: string }
const start = (body: object = {}, who = ANN) =>
  server.ask('POST', '/api/verify', { to: TO, ...body }, as(who))
const check = (code: string, named: Named = { to: TO }, who = ANN) =>
  server.ask('POST', '/api/verify/check', { ...named, code }, as(who))
const cancel = (named: Named, who = ANN) => server.ask('POST', '/api/verify/cancel', named, as(who))
/** The texts that the phones are given next. */
async function claimed(): Promise<string[]> {
  const device = { user: ANN.id, phone: '', enabled: true, lastSeen: '', isLimited: false }
  const found = await Promise.all(
    PHONES.map((id) => claimMessages(store, { ...device, id }, 100, 120)),
  )
  await server.rows('delete from sms_dispatch')
  return found.flat().map(({ body }) => body)
}
/** Starts, and reads the code on the phone. */
async function started(body: object = {}): Promise<string> {
  expect((await start(body)).status).toBe(200)
  return /\d{4,10}/.exec((await claimed())[0]!)![0]
}
const wrongOf = (code: string) => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
/** Makes codes look this many seconds older. */
const passSeconds = (seconds: number) =>
  server.rows(
    `update auth_tries set ends = ends - $1 * interval '1 second' where key like 'code %'`,
    [seconds],
  )
const counted = () => server.rows(`select 1 from auth_tries where key like 'code %' and tries > 0`)
const expire = () =>
  server.rows(`update verifications set expires_at = pb_text(now()) where status = 'pending'`)
const codes = async () => Number((await server.rows('select count(*) from _verify_codes'))[0]![0])
const service = async (values: object): Promise<string> => {
  const headers = await server.signedIn('users', ANN.id)
  const body = { user: ANN.id, name: `s${Math.random()}`, ...values }
  const made = await server.ask('POST', '/api/collections/verify_services/records', body, headers)
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  return made.body.id
}

beforeEach(async () => {
  for (const table of [
    'verifications',
    'verify_services',
    '_verify_codes',
    'auth_tries',
    'sms_dispatch',
  ])
    await server.rows(`delete from ${table}`)
})

describe('a verification code', () => {
  test('a verification code is accepted once', async () => {
    const begun = await start()
    expect(begun.body).toMatchObject({ to: TO, channel: 'sms', status: 'pending', attempts: 0 })
    const { id } = begun.body
    const code = /^Your code is (\d{6})\. Do not share it\.$/.exec((await claimed())[0]!)![1]!
    expect((await check(wrongOf(code))).body).toMatchObject({ id, status: 'pending', attempts: 1 })
    expect((await check(code)).body).toMatchObject({ id, status: 'approved', attempts: 2 })
    for (const named of [{ to: TO }, { id }])
      expect((await check(code, named)).body.status).toBe('expired')
    expect(await codes()).toBe(0)
    const stored = await server.rows('select status, country, sends from verifications')
    expect(stored).toEqual([['approved', '+49', 1]])
  })

  test.each([
    ['with a blank', (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['with a prefix', (code: string) => `G-${code}`],
    ['within its text', (code: string) => `Your code is ${code}. Do not share it.`],
    [
      'in digits of Arabic',
      (code: string) => code.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)]!),
    ],
  ])('a verification code is right when a person types it %s', async (_, type) => {
    expect((await check(type(await started()))).body).toMatchObject({
      status: 'approved',
      attempts: 1,
    })
  })

  test('an empty entry does not count as a try of a verification code', async () => {
    const code = await started()
    for (const typed of ['', ' ', '\u200b-']) expect((await check(typed)).status).toBe(400)
    expect((await check(code)).body).toMatchObject({ status: 'approved', attempts: 1 })
  })

  test('a verification code ends after five wrong tries, and a new one can be started', async () => {
    const code = await started()
    const statuses: string[] = []
    for (let i = 0; i < 6; i++) statuses.push((await check(wrongOf(code))).body.status)
    const over = 'max_attempts_reached'
    expect(statuses).toEqual(['pending', 'pending', 'pending', 'pending', over, over])
    expect((await check(code)).body).toMatchObject({ status: over, attempts: 5 })
    expect((await start()).body.error).toBe('resend_too_soon')
    await passSeconds(30)
    expect((await check(await started())).body.status).toBe('approved')
    // after a right code nothing has to be waited for
    expect((await start()).status).toBe(200)
  })

  test('a verification code is refused once expired or canceled, before and after the clean-up', async () => {
    for (const end of ['expired', 'canceled', 'swept'] as const) {
      const code = await started()
      if (end === 'canceled') expect((await cancel({ to: TO })).body.status).toBe('canceled')
      else await expire()
      if (end === 'swept') await expireVerifications(store.db)
      const status = end === 'canceled' ? 'canceled' : 'expired'
      expect((await check(code)).body).toMatchObject({ status, attempts: 0 })
      expect(await codes()).toBe(0)
      await passSeconds(30)
    }
    await server.rows(`update verifications set created = '2020-01-01 00:00:00.000Z'`)
    await deleteOldVerifications(store.db, 30)
    expect(await server.rows('select 1 from verifications')).toEqual([])
  })

  test('a verification code of another user is answered like an unknown one', async () => {
    const code = await started()
    const [[id]] = (await server.rows('select id from verifications')) as [[string]]
    const other = await check(code, { id }, BEN)
    expect(other.body).toMatchObject({ id: '', status: 'expired', attempts: 0 })
    expect((await check(code, { to: '+4915100000000' })).body.status).toBe('expired')
    expect((await cancel({ id }, BEN)).status).toBe(404)
    expect((await check(code)).body.status).toBe('approved')
  })

  test('a verification code is not sent once canceled', async () => {
    const { id } = (await start()).body
    expect((await cancel({ id })).body.status).toBe('canceled')
    expect(await claimed()).toEqual([])
    expect((await cancel({ id })).body.status).toBe('canceled')
    expect((await start()).body.error).toBe('resend_too_soon')
    await server.rows('delete from sms_messages where id = (select message from verifications)')
    expect((await start({ service: await service({}) })).body.error).toBe('resend_too_soon')
  })
})

describe('starting a verification again', () => {
  test('starting a verification again sends the same code, after growing pauses', async () => {
    const code = await started()
    for (const seconds of [30, 60]) {
      const refused = await start()
      expect([refused.status, refused.body.error]).toEqual([429, 'resend_too_soon'])
      expect(refused.body.retry_after).toBeGreaterThan(seconds - 5)
      expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after))
      await passSeconds(seconds)
      expect(await started()).toBe(code)
    }
    expect((await check(code)).body.status).toBe('approved')
  })

  test('starting a verification again is limited to five an hour and ten a day for a number', async () => {
    const begin = async () => {
      const answer = await start()
      await cancel({ to: TO })
      await server.rows(`delete from auth_tries where key like '% pause'`)
      return answer.status === 200
        ? 'sent'
        : `${answer.body.error} ${answer.body.retry_after > 3_600}`
    }
    const all: string[] = []
    for (let i = 0; i < 6; i++) all.push(await begin())
    await passSeconds(3_600)
    for (let i = 0; i < 6; i++) all.push(await begin())
    await passSeconds(3_600)
    all.push(await begin())
    const five = Array.from({ length: 5 }, () => 'sent')
    const hour = 'number_limit_reached false'
    expect(all).toEqual([
      ...five,
      hour,
      ...five,
      'number_limit_reached true',
      'number_limit_reached true',
    ])
    expect((await start({ to: '+4915112345679' })).status).toBe(200)
  })
})

describe('the text of a code', () => {
  const templates = { en: '{{code}}' }
  const SITE = '\n\n@example.com #1234'
  const HASH = 'FA+9qCX9VSu'
  test.each<[string, service: object, start: object, text: string]>([
    ['in English', {}, {}, 'Your code is 1234. Do not share it.'],
    [
      'in the language of the request',
      {},
      { locale: 'de_AT' },
      'Ihr Code ist 1234. Geben Sie ihn nicht weiter.',
    ],
    [
      'in the language of the service',
      { default_locale: 'fr' },
      { locale: 'xx' },
      'Votre code est 1234. Ne le partagez pas.',
    ],
    ['of the service', { templates: { de: 'Ja: {{code}}' } }, { locale: 'fr' }, 'Ja: 1234'],
    [
      'of a country',
      { templates: { ...templates, 'de-AT': 'Servus {{code}}' } },
      { locale: 'de-at' },
      'Servus 1234',
    ],
    ['for a page', { templates }, { origin: 'https://example.com' }, `1234${SITE}`],
    ['for the page of the service', { templates, domain: 'example.com' }, {}, `1234${SITE}`],
    ['for an app', { templates, domain: 'a.b' }, { app_hash: HASH }, `1234\n\n${HASH}`],
  ])('the text of a code is "$3" %s', async (_, values, more, text) => {
    const id = await service({ code_length: 4, ...values })
    await start({ service: id, ...more })
    const [[shown, segments]] = (await server.rows(
      'select body, segments from sms_messages order by _rowid desc limit 1',
    )) as [[string, number]]
    expect([shown, segments]).toEqual([text.replaceAll('1234', '••••'), 1])
    expect((await claimed())[0]!.replaceAll(/\b\d{4}\b/g, '1234')).toBe(text)
  })

  test('the text of a code is refused for a template that needs another variable', async () => {
    const id = await service({ code_length: 4 })
    const answer = await start({ service: id, template: TEMPLATES.code })
    expect([answer.status, answer.body.message]).toEqual([400, 'Missing variable: tail.'])
  })

  test('the text of a code has the requested number of digits and a high priority, and expires with the code', async () => {
    await server.send({ recipients: ['+4911100'], priority: 50, device_id: PHONES[0] })
    const { expires_at } = (await start({ length: 10, ttl: 60 })).body
    const [[priority, ends]] = (await server.rows(
      'select priority, expires_at from sms_messages order by _rowid desc limit 1',
    )) as [[number, string]]
    expect(priority).toBeGreaterThan(50)
    expect(ends).toBe(expires_at)
    expect((await claimed()).some((text) => /\d{10}/.test(text))).toBe(true)
  })
})

describe('a start sends no text and stores no verification', () => {
  test.each<[string, body: object, status: number, error: string | undefined]>([
    ['to an invalid number', { to: '015112345678' }, 400, 'invalid_phone_number'],
    ['by an unsupported channel', { channel: 'call' }, 400, 'invalid_request'],
    ['with a short code', { length: 3 }, 400, 'invalid_request'],
    ['with two last lines', { origin: 'a.com', app_hash: 'FA+9qCX9VSu' }, 400, 'invalid_request'],
    ['with text in the origin', { origin: 'a.com #1' }, 400, 'invalid_request'],
    ['of an unknown service', { service: 'nosuchservice00' }, 404, 'service_not_found'],
    ['with an unknown template', { template: 'nosuchtemplate0' }, 400, 'invalid_template'],
    ['to an opted-out number', { to: '+4900004' }, 403, 'recipient_opted_out'],
  ])('%s, with $2 $3', async (_, body, status, error) => {
    const answer = await start(body)
    expect([answer.status, answer.body.error]).toEqual([status, error])
    for (const table of ['verifications', '_verify_codes', 'sms_dispatch'])
      expect(await server.rows(`select 1 from ${table}`), table).toEqual([])
    expect(await counted()).toEqual([])
  })

  test('a start with a template that lacks the code sends no text and stores no verification', async () => {
    await server.rows(`update sms_templates set body = 'Your code is 0000' where id = $1`, [
      TEMPLATES.code,
    ])
    const { status, body } = await start({ template: TEMPLATES.code })
    expect([status, body.message]).toEqual([400, 'The template has no {{code}}.'])
    expect(await counted()).toEqual([])
  })

  test('a start without a phone sends no text, stores no verification, and does not count as a try', async () => {
    for (let i = 0; i < 7; i++) expect((await start({}, CLEO)).body.error).toBe('no_devices')
    expect(await counted()).toEqual([])
  })
})

test('services are created by their owners, and verifications by starts only', async () => {
  const headers = await server.signedIn('users', ANN.id)
  const records = (collection: string, body: object) =>
    server.ask('POST', `/api/collections/${collection}/records`, body, headers)
  const wrong = [{ en: 'no code: 0000' }, { en: '{{code}} {{other}}' }, { EN: '{{code}}' }]
  for (const templates of [...wrong, 'text', ['{{code}}']])
    expect((await records('verify_services', { user: ANN.id, name: 'x', templates })).status).toBe(
      400,
    )
  const id = await service({ name: 'shop' })
  expect(await server.rows('select code_length, ttl, api_key from verify_services')).toEqual([
    [6, 600, ''],
  ])
  expect((await start()).body.service).toBe(id)
  const values = { user: ANN.id, service: id, to: TO, channel: 'sms', status: 'approved' }
  expect((await records('verifications', values)).status).toBe(403)
  const leftOver = async () => {
    const tables = ['verifications', '_verify_codes']
    const rows = await Promise.all(tables.map((table) => server.rows(`select 1 from ${table}`)))
    return rows.flat()
  }
  const remove = (path: string) =>
    server.ask('DELETE', `/api/collections/${path}`, undefined, headers)
  expect((await remove(`verify_services/records/${id}`)).status).toBe(204)
  expect(await leftOver()).toEqual([])
  await passSeconds(30)
  expect((await start()).status).toBe(200)
  expect((await remove(`users/records/${ANN.id}`)).status).toBe(204)
  expect(await leftOver()).toEqual([])
})
