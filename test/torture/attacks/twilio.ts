import type { RequestListener } from 'node:http'
import { freePort } from '../../support/database/postgres.ts'
import { basic } from '../../support/server/request.ts'
import type { Client } from '../../support/server/server-with-devices.ts'
import { endlessly, handIn, receive } from '../hostile/receivers.ts'
import { type Attack, type AttackRun, asUser, byUser, must, type Prepared } from './attack.ts'
import { flood, type Shot } from './sockets.ts'

// Twilio's API: forms, pages, and what an SmsUrl answers.

const NUMBER = '+4915550000001'
const SENDS = 2_000

/** A user with a key for Twilio's API, and a device that has a number. */
const withNumber = (
  more: (made: Prepared, user: Client) => Promise<Prepared> | Prepared = (made) => made,
) =>
  asUser(async (user, target) => {
    const device = await target.addDevice(user)
    await must(user, 'PATCH', `/api/collections/devices/records/${device.id}`, { phone: NUMBER })
    const values = { user: user.id, name: 'Twilio', twilio: true }
    const key = await must(user, 'POST', '/api/collections/api_keys/records', values)
    const account = `/2010-04-01/Accounts/${key.account_sid}`
    const login = basic(key.account_sid, key.auth_token).authorization
    const { token } = user
    const own = {
      account,
      login,
      device: device.token,
      deviceId: device.id,
      token,
      url: target.url,
    }
    return more(own, user)
  })

/** The same with an SmsUrl in the attack's process. */
const withSmsUrl = withNumber(async (made) => {
  const port = await freePort()
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${made.url}${made.account}${path}`, { ...init, headers: { authorization: made.login! } })
  const { incoming_phone_numbers: numbers } = (await (
    await ask('/IncomingPhoneNumbers.json')
  ).json()) as {
    incoming_phone_numbers: { sid: string }[]
  }
  const body = new URLSearchParams({ SmsUrl: `http://127.0.0.1:${port}/sms` })
  const { status } = await ask(`/IncomingPhoneNumbers/${numbers[0]!.sid}.json`, {
    method: 'POST',
    body,
  })
  if (status !== 200) throw new Error(`SmsUrl: ${status}`)
  return { ...made, port: String(port) }
})

const withHistory = withNumber(async (made, user) => {
  const recipients = Array.from({ length: SENDS / 2 }, (_, i) => `+4915${1e7 + i}`)
  for (let i = 0; i < 2; i++)
    await must(user, 'POST', '/api/sms/send', { recipients, body: `Text ${i}` })
  return made
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MEGABYTE = 1 << 20
/** With more than 10,000 pairs, a form is refused. */
const FORMS = [
  'a=1&'.repeat(9_990),
  '&'.repeat(MEGABYTE),
  `To${'['.repeat(400_000)}${']'.repeat(400_000)}=1`,
  `To=%2B4915112345678&Body=x${'&MediaUrl=https://example.com/a.png'.repeat(190)}`,
  `To=%2B4915112345678&Body=x${'&MediaUrl=https://example.com/a.png'.repeat(9_900)}`,
  `To=%2B4915112345678&Body=${'%E2%82%AC'.repeat(100_000)}`,
  `To=${'%20'.repeat(340_000)}&Body=x`,
  `Body=${'%'.repeat(MEGABYTE - 10)}`,
  `To=%2B4915112345678&Body=x&StatusCallback=http://${'a.'.repeat(500_000)}`,
  `__proto__=1&constructor=2&To[toString]=3&${'\0'.repeat(1_000)}=4`,
] as const

const signedIn = (run: AttackRun, shot: Omit<Shot, 'path'> & { path: string }): Shot => ({
  ...shot,
  path: run.prepared.account + shot.path,
  headers: { ...shot.headers, authorization: run.prepared.login! },
})

/** SIDs that are none, of nobody, and of all kinds. */
const tokenOf = (turn: number) => {
  const hex = Buffer.from(`${turn}`.padStart(15, 'a')).toString('hex')
  return [
    `PASM${hex}00`,
    `PBSM${hex}00`,
    `PAPN${hex}00`,
    `PA${'f'.repeat(9_000)}`,
    '%00',
    `PBMM${'0'.repeat(32)}`,
  ][turn % 6]
}

const xml =
  (inside: string): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/xml' }).end(`<Response>${inside}</Response>`)
const answers: readonly RequestListener[] = [
  () => {},
  endlessly('text/xml', '<Message>Hi</Message>'),
  endlessly('text/plain', 'Hi '),
  xml('<Redirect>/sms</Redirect>'),
  xml(`<Message from="${NUMBER}" to="+4915112345678">a</Message>`.repeat(1_000)),
  xml(`<Message ${Array.from({ length: 4_000 }, (_, i) => `a${i}="&amp;"`).join(' ')}/>`),
  (_, response) => response.writeHead(302, { location: '/sms' }).end(),
]

export const twilio: readonly Attack[] = [
  byUser(
    'Twilio forms that are large or malformed',
    { isShort: true, prepare: withNumber() },
    (run) =>
      flood(run, 8, (turn) =>
        signedIn(run, { path: '/Messages.json', headers: FORM, body: FORMS[turn % FORMS.length]! }),
      ),
  ),
  byUser(
    'Twilio pages with page tokens that were made up',
    { isShort: true, prepare: withHistory },
    (run) =>
      flood(run, 16, (turn) => {
        const query = [
          `PageToken=${tokenOf(turn)}`,
          'Page=1000000&PageSize=1000',
          'PageSize=1000&DateSent%3E=2000-01-01&From=%2B4915550000001',
          'PageSize=1000&To=%2B4915000000000&DateSent%3C=9999-12-31',
        ][turn % 4]
        return signedIn(run, { path: `/Messages.json?${query}`, isUnread: turn % 5 === 0 })
      }),
  ),
  byUser(
    'TwiML that is slow, endless, long or leads in circles',
    { isShort: true, prepare: withSmsUrl },
    async (run) => {
      let calls = 0
      receive(run, (request, response) => answers[calls++ % answers.length]!(request, response))
      await handIn(run)
    },
  ),
  byUser('status callbacks to servers that hang', { prepare: withSmsUrl }, async (run) => {
    receive(run, () => {})
    const callback = encodeURIComponent(`http://127.0.0.1:${run.prepared.port}/status`)
    await flood(run, 8, (turn) => {
      const to = `%2B4915${1e7 + turn}`
      const sendAt = new Date(Date.now() + 3_000).toISOString()
      const body = `To=${to}&Body=Hi&StatusCallback=${callback}&ScheduleType=fixed&SendAt=${sendAt}`
      return signedIn(run, { path: '/Messages.json', headers: FORM, body })
    })
  }),
]
