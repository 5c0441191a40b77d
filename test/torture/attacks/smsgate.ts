import { freePort } from '../../support/database/postgres.ts'
import { handIn, receive, textsOf } from '../hostile/receivers.ts'
import {
  type Attack,
  type AttackRun,
  asUser,
  byGuest,
  byUser,
  must,
  type Prepared,
} from './attack.ts'
import { flood, type Shot } from './sockets.ts'

// SMSGate's API for programs, and wrong credentials for all APIs that know them by Basic.

const ROOT = '/3rdparty/v1'
const MOST_WEBHOOKS = 20
/** For 20 webhooks as many calls as one refresh may make. */
const TEXTS = 50

const withWebhooks = asUser(async (user, target): Promise<Prepared> => {
  const device = await target.addDevice(user)
  const values = { user: user.id, name: 'SMSGate', scopes: ['all:any'] }
  const { key } = await must(user, 'POST', '/api/collections/api_keys/records', values)
  const port = await freePort()
  const { client } = await import('../../support/server/server-with-devices.ts')
  const program = client(target.url, '', `Bearer ${key}`)
  for (let i = 0; i < MOST_WEBHOOKS; i++) {
    const webhook = { id: `${i}`, url: `http://127.0.0.1:${port}/${i}`, event: 'sms:received' }
    await must(program, 'POST', `${ROOT}/webhooks`, webhook)
  }
  for (let turn = 0; turn * 10 < TEXTS; turn++)
    await must(device, 'POST', '/api/devices/incoming', textsOf(turn, 10))
  return { key, device: device.token, port: String(port) }
})

const basic = (turn: number, password: string) =>
  `Basic ${Buffer.from(`nobody-${turn}@example.com:${password}`).toString('base64')}`

/** Each of them with credentials that are wrong in another way. */
function wrongCredentials(turn: number): Shot {
  const key = `psk_${'a'.repeat(58)}${turn % 1e6}`.padEnd(68, 'b')
  const sid = Buffer.from('a'.repeat(15)).toString('hex')
  const paths = [
    ['GET', `/2010-04-01/Accounts/AC${sid}00/Messages.json`],
    ['POST', `/2010-04-01/Accounts/AC${sid}00/Messages.json`],
    ['GET', `${ROOT}/messages`],
    ['POST', `${ROOT}/auth/token`],
    ['POST', '/api/mobile/v1/device'],
    ['POST', '/mcp'],
  ] as const
  const authorizations = [
    basic(turn, key),
    basic(turn, key.replace('_', '')),
    basic(turn, `wrong-${turn}`),
    basic(turn, 'é'.repeat(5_000)),
    `Bearer ${key}`,
    `Bearer ${'e30.'.repeat(turn % 1_000)}`,
  ]
  const [method, path] = paths[turn % paths.length]!
  const authorization = authorizations[Math.floor(turn / paths.length) % authorizations.length]!
  return {
    method,
    path,
    headers: { authorization },
    ...(method === 'POST' && { body: '{"name":"a"}' }),
  }
}

const asked = (run: AttackRun, shot: Shot): Shot => ({
  ...shot,
  path: ROOT + shot.path,
  headers: { authorization: `Bearer ${run.prepared.key}` },
})

const refresh = JSON.stringify({
  since: new Date(Date.now() - 86_400_000).toISOString(),
  until: new Date(Date.now() + 86_400_000).toISOString(),
  webhookDelivery: 'Individual',
})

export const smsgate: readonly Attack[] = [
  byGuest('wrong Basic credentials for all APIs', { isShort: true }, (run) =>
    flood(run, 64, wrongCredentials),
  ),
  byGuest('wrong Basic credentials from many addresses', (run) =>
    flood(run, 64, (turn) => ({
      ...wrongCredentials(turn),
      address: `127.0.${10 + (turn % 7)}.${1 + (turn % 250)}`,
    })),
  ),
  byUser(
    'inbox refreshes for 20 webhooks that hang',
    { isShort: true, prepare: withWebhooks },
    async (run) => {
      receive(run, () => {})
      await flood(run, 4, () => asked(run, { path: '/inbox/refresh', body: refresh }))
    },
  ),
  byUser('texts for 20 SMSGate webhooks that hang', { prepare: withWebhooks }, async (run) => {
    receive(run, () => {})
    await handIn(run)
  }),
  byUser('tokens, lists and webhooks of SMSGate programs', { prepare: withWebhooks }, (run) =>
    flood(run, 16, (turn) => {
      const shots: readonly Shot[] = [
        { path: '/auth/token', body: '{"scopes":["all:any"]}' },
        { path: '/inbox?limit=500&offset=999999999999999' },
        { path: '/inbox?limit=500&type=DATA_SMS', isUnread: true },
        { path: '/messages?state=Sent&includeContent=true&limit=100' },
        { path: '/messages?deviceId=%00' },
        {
          path: '/webhooks',
          body: `{"id":"${turn % 20}","url":"http://127.0.0.1:1/","event":"sms:sent"}`,
        },
        {
          path: '/messages',
          body: `{"phoneNumbers":[${'"+4915112345678",'.repeat(99)}1],"message":"a"}`,
        },
        {
          path: '/settings',
          body: `{"webhooks":${'{"a":'.repeat(900)}1${'}'.repeat(900)}}`,
          method: 'PATCH',
        },
      ]
      return asked(run, shots[turn % shots.length]!)
    }),
  ),
]
