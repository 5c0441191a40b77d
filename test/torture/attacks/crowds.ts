import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '../../support/server/request.ts'
import type { Client } from '../../support/server/server-with-devices.ts'
import {
  type Attack,
  type AttackRun,
  byGuest,
  byUser,
  type Prepared,
  type Target,
  VISITOR,
} from './attack.ts'
import { drip, exchange, head, hold, write } from './sockets.ts'

// Many holders of one tenant take what is given out before work begins: places and connections.

const JSON_TYPE = { 'content-type': 'application/json' }
const SIGN_IN = '/api/collections/users/auth-with-password'
const HOLDERS = 20
/** In which a visitor must be answered, as the victim. */
const PATIENCE_MS = 10_000
/** Of each holder: its share. */
const EACH = 50

/** An address of one of many networks. */
const network = (i: number, networks = HOLDERS) => `127.0.${100 + (i % networks)}.1`

const tokensOf = ({ prepared }: AttackRun) => prepared.tokens!.split(' ')

async function holders(make: () => Promise<Client>): Promise<Prepared> {
  const tokens: string[] = []
  for (let i = 0; i < HOLDERS; i++) tokens.push((await make()).token)
  return { tokens: tokens.join(' ') }
}

const asDevices = async (target: Target): Promise<Prepared> => {
  const user = await target.makeUser()
  return holders(() => target.addDevice(user))
}

const asAccounts = (target: Target): Promise<Prepared> => holders(() => target.makeUser())

/**
 * Somebody of another network, who must be answered, and never with 503, as long as the attack lasts. Other
 * answers are counted as faults.
 */
async function visit(run: AttackRun): Promise<void> {
  const ask = head('GET', '/api/collections/boards/records?perPage=1', { connection: 'close' })
  while (!run.isOver()) {
    const answer = await exchange({ ...run, address: '127.0.99.1' }, ask, PATIENCE_MS)
    if (!run.isOver() && answer !== 200) run.count(`${VISITOR}${answer}`)
    await sleep(50)
  }
}

const crowd = (attack: (run: AttackRun) => Promise<void>) => async (run: AttackRun) => {
  await Promise.all([attack(run), visit(run)])
}

/** Posts whose body has begun, and drips on or never comes. Their senders are known before. */
const bodies = (
  run: AttackRun,
  path: string,
  headers: Readonly<Record<string, string>>,
  isDripping = false,
) =>
  hold(
    run,
    HOLDERS * EACH,
    async (socket, i) => {
      const token = run.prepared.tokens && tokensOf(run)[i % HOLDERS]!
      await write(
        socket,
        head('POST', path, { ...headers, ...(token && { authorization: token }) }),
      )
      await (isDripping ? drip(socket, [' '], 100) : write(socket, '{'))
    },
    run.prepared.tokens ? undefined : network,
  )

async function know(run: AttackRun, path: string): Promise<void> {
  const ask = (token: string) => request(run.url, 'GET', path, undefined, { authorization: token })
  await Promise.all(tokensOf(run).map(ask))
}

const ofAccounts = (path: string, headers: Readonly<Record<string, string>>) =>
  crowd(async (run) => {
    await know(run, '/api/sms/usage')
    await bodies(run, path, headers)
  })

export const crowds: readonly Attack[] = [
  byGuest(
    'bodies of 20 networks that never come',
    crowd((run) => bodies(run, SIGN_IN, { ...JSON_TYPE, 'content-length': '200' })),
  ),
  byGuest(
    'bodies of 20 networks a byte at a time',
    crowd((run) => bodies(run, SIGN_IN, { ...JSON_TYPE, 'content-length': '60000' }, true)),
  ),
  byGuest(
    'chunks of 20 networks that never end',
    crowd((run) => bodies(run, SIGN_IN, { ...JSON_TYPE, 'transfer-encoding': 'chunked' })),
  ),
  byGuest(
    '10,200 idle connections of five networks',
    crowd((run) =>
      hold(
        run,
        10_200,
        () => run.end,
        (i) => network(i, 5),
      ),
    ),
  ),
  byUser(
    'bodies of 20 devices that never come',
    { isShort: true, prepare: asDevices },
    crowd(async (run) => {
      await know(run, '/api/devices/push-key')
      await bodies(run, '/api/devices/report', { ...JSON_TYPE, 'content-length': '200' })
    }),
  ),
  byUser(
    'bodies of 20 accounts that never come',
    { prepare: asAccounts },
    ofAccounts('/api/sms/send', { ...JSON_TYPE, 'content-length': '200' }),
  ),
  byUser(
    'large bodies of 20 accounts that never come',
    { prepare: asAccounts },
    ofAccounts('/api/sms/send', { ...JSON_TYPE, 'content-length': '70000' }),
  ),
  byUser(
    'forms of 20 accounts that never end',
    { prepare: asAccounts },
    ofAccounts('/api/collections/albums/records', {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': '4000000',
    }),
  ),
]
