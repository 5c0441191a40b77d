import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { waitPastMidnight } from '../../support/database/midnight.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Sixteen programs send by one line with a limit of 20 texts a day, while its device fetches and reports.

await waitPastMidnight()
const gateway = await startServerWithDevices()
const LIMIT = 20
const SENDERS = 16

/** `unsent`: the device gives the text back. `silent`: its lease ends. */
type Outcome = 'sent' | 'failed' | 'unsent' | 'silent'

async function openLine() {
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user)
  const { items } = await must(user, 'GET', '/api/collections/lines/records')
  await must(user, 'PATCH', `/api/collections/lines/records/${items[0].id}`, { daily_limit: LIMIT })
  return { user, phone, line: String(items[0].id) }
}

test.each<[what: string, guarantee: string, outcomes: readonly Outcome[]]>([
  ['all texts are sent', 'at_most_once', ['sent']],
  ['some texts fail', 'at_most_once', ['sent', 'failed']],
  ['some texts are given back', 'at_most_once', ['sent', 'unsent']],
  ['some leases end', 'at_most_once', ['sent', 'silent']],
  ['some leases end, and their texts may be sent again', 'at_least_once', ['sent', 'silent']],
  ['all of this happens', 'at_least_once', ['sent', 'unsent', 'failed', 'silent']],
])(
  'a line sends at most its limit of attempts in a day when %s',
  async (_, guarantee, outcomes) => {
    const { user, phone, line } = await openLine()
    let sending = true
    let turn = 0
    /** Attempts that have left, or may have. */
    const left = new Set<string>()
    const send = async (sender: number) => {
      for (let i = 0; i < 6; i++)
        await must(user, 'POST', '/api/sms/send', {
          recipients: [`+49151${sender + 10}${i}0000`],
          body: 'Hello',
          guarantee,
        })
    }
    const end = async (id: string, attempt: number, outcome: Outcome) => {
      if (outcome === 'sent' || outcome === 'silent') left.add(`${id}.${attempt}`)
      if (outcome === 'silent') {
        const lease = `update sms_dispatch set lease_until = now() - interval '1 second' where message = $1`
        return gateway.query(lease, [id])
      }
      const report = { id, attempt, status: outcome === 'sent' ? 'sent' : 'failed' }
      const items = [{ ...report, ...(outcome === 'unsent' && { not_sent: true }) }]
      return must(phone, 'POST', '/api/devices/report', { items })
    }
    const fetchAll = async () => {
      for (let idle = 0; sending || idle < 20; idle++) {
        const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 3 })
        for (const { id, attempt } of items)
          await end(id, attempt, outcomes[turn++ % outcomes.length]!)
        // as after the pauses between attempts
        const due = `update sms_dispatch set due_at = now() where "user" = $1 and state = 'assigned' and due_at > now()`
        await gateway.query(due, [user.id])
        await sweepQueue(gateway.server.services.store, 600)
        if (items.length > 0) idle = 0
      }
    }
    const fetching = fetchAll()
    await Promise.all(Array.from({ length: SENDERS }, (_, i) => send(i)))
    sending = false
    await fetching
    expect(left.size).toBe(LIMIT)
    expect(await gateway.query('select day_texts from line_use where line = $1', [line])).toEqual([
      [LIMIT],
    ])
  },
  120_000,
)
