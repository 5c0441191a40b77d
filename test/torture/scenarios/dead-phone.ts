import { REASONS } from '../../../src/sms/status/status.ts'
import { type Client, must } from '../../support/server/server-with-devices.ts'
import type { Scenario } from '../scenario.ts'
import { Site, until } from '../site.ts'

const ASSIGNED = 520
const CLAIMED = 20
const MOVED_SECONDS = 60
const LEASE_SECONDS = 30

/** A phone dies with 500 messages assigned and 20 claimed, half of these under each guarantee. */
export const deadPhone: Scenario = {
  name: 'dead-phone',
  what: 'a phone dies with 500 messages assigned and 20 claimed',
  rounds: 1,
  async run(context) {
    const site = await Site.open({ ...context, env: { LEASE_SECONDS: String(LEASE_SECONDS) } })
    try {
      const user = await site.makeUser()
      const dying = await site.addDevice(user)
      const claimed = await sendAndClaim(site, user, dying)
      const other = await site.addPhone(user)
      other.start()
      const died = Date.now()
      const left = `select count(*) from sms_dispatch where device = $1 and state = 'assigned'`
      await until('the assigned have moved', async () => (await site.value(left, [dying.id])) === 0, 120)
      const movedSeconds = (Date.now() - died) / 1000
      await site.drain(120)
      const faults = await judgeClaimed(site, claimed)
      const sent = new Set(other.sent().map(({ id }) => id))
      if (sent.size !== other.sent().length) faults.push('the other phone sent something twice')
      if (sent.size !== ASSIGNED - CLAIMED / 2) faults.push(`the other phone sent ${sent.size}`)
      if (movedSeconds > MOVED_SECONDS) faults.push(`the assigned moved after ${movedSeconds} s`)
      return { faults, figures: `${ASSIGNED - CLAIMED} moved after ${movedSeconds.toFixed(1)} s` }
    } finally {
      await site.close()
    }
  },
}

/** The ids that the device claims, which it will never report on. */
async function sendAndClaim(site: Site, user: Client, device: Client): Promise<string[]> {
  await device.call('POST', '/api/devices/heartbeat', {})
  const halves = [
    [CLAIMED / 2, 'at_least_once'],
    [ASSIGNED - CLAIMED / 2, 'at_most_once'],
  ] as const
  for (const [count, guarantee] of halves) {
    const recipients = Array.from(
      { length: count },
      (_, i) => `+4915${guarantee.length}${String(i).padStart(5, '0')}`,
    )
    await must(user, 'POST', '/api/sms/send', { recipients, body: 'Hello', guarantee })
  }
  const { items } = (await device.call('POST', '/api/devices/claim', { limit: CLAIMED })).body
  if (items.length !== CLAIMED) throw new Error(`claimed ${items.length}`)
  await until('the claims are stored', async () => (await site.value(CLAIMS)) === CLAIMED, 5)
  return items.map(({ id }: { id: string }) => id)
}

const CLAIMS = `select count(*) from sms_dispatch where state = 'sending'`

async function judgeClaimed({ db }: Site, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query(
    'select guarantee, status, error_message, count(*) from sms_messages where id = any($1) group by 1, 2, 3',
    [ids],
  )
  const said = rows.map((row) => row.join(' ')).sort()
  const half = CLAIMED / 2
  const silent = `at_most_once failed ${REASONS.silent} ${half}`
  const isRight =
    said.length === 2 && said[1] === silent && /^at_least_once (sent|delivered) {2}10$/.test(said[0]!)
  return isRight ? [] : [`of the claimed: ${said.join('; ')}`]
}
