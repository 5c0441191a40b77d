import { setTimeout as sleep } from 'node:timers/promises'
import { NEXT, REASONS, type Status } from '../../src/gateway/base/message-status.ts'
import { briefFaults } from '../support/database/brief.ts'
import type { Client } from '../support/server/server-with-devices.ts'
import type { SentLine } from './phone.ts'
import type { Acknowledged, Senders } from './senders.ts'
import type { Site } from './site.ts'

interface Message {
  readonly id: string
  readonly status: Status
  readonly to: string
  readonly guarantee: string
  readonly reason: string
}

interface Event {
  readonly message: string
  readonly status: Status
  readonly attempt: number
}

/** What is known when all is over. */
interface Case {
  readonly messages: readonly Message[]
  readonly events: ReadonlyMap<string, readonly Event[]>
  readonly sent: ReadonlyMap<string, readonly SentLine[]>
  readonly acknowledged: readonly Acknowledged[]
  readonly used: number
  /** How the brief rows differ from the texts. */
  readonly brief: readonly string[]
}

/** How many were stored, sent, failed; and everything that is not as promised, a sentence each. */
export interface Verdict {
  readonly faults: readonly string[]
  readonly figures: string
}

/** How many faults of a kind are told. */
const MAX_TOLD = 5

/**
 * Compares what senders were told, what phones sent and what the store says, when the queue is empty: every
 * acknowledged message exists once; nothing went out twice that may not; the store says the truth about each.
 */
async function judge(
  site: Site,
  user: Client,
  acknowledged: readonly Acknowledged[],
): Promise<Verdict> {
  const all = await gather(site, user, acknowledged)
  const faults = CHECKS.flatMap((check) => {
    const found = [...check(all)]
    const more = found.length > MAX_TOLD ? [`… and ${found.length - MAX_TOLD} more like these`] : []
    return [...found.slice(0, MAX_TOLD), ...more]
  })
  return { faults, figures: figuresOf(all) }
}

/** Stops senders, lets phones finish within `seconds`, and judges. */
export async function judgeAtRest(site: Site, user: Client, senders: Senders, seconds: number) {
  await senders.stop()
  await site.drain(seconds)
  // delivery reports, too
  await sleep(1_000)
  for (const phone of site.phones) await phone.stop()
  return judge(site, user, senders.acknowledged)
}

async function gather(
  { db, phones }: Site,
  user: Client,
  acknowledged: readonly Acknowledged[],
): Promise<Case> {
  const messages = await db.query(
    'select id, status, "to", guarantee, error_message from sms_messages where "user" = $1 order by _rowid',
    [user.id],
  )
  const events = await db.query(
    'select message, status, attempt from sms_events where "user" = $1 order by _rowid',
    [user.id],
  )
  const usage = await db.query('select coalesce(sum(used), 0) from sms_usage where "user" = $1', [
    user.id,
  ])
  return {
    messages: messages.rows.map(
      ([id, status, to, guarantee, reason]) => ({ id, status, to, guarantee, reason }) as Message,
    ),
    events: Map.groupBy(
      events.rows.map(([message, status, attempt]) => ({ message, status, attempt }) as Event),
      ({ message }) => message,
    ),
    sent: Map.groupBy(
      phones.flatMap((phone) => phone.sent()),
      ({ id }) => id,
    ),
    acknowledged,
    used: Number(usage.rows[0]![0]),
    brief: await briefFaults(db),
  }
}

type Check = (all: Case) => Iterable<string>

const CHECKS: readonly Check[] = [
  ({ brief }) => brief,
  function* acknowledgedOnes({ acknowledged, messages }) {
    const byId = new Map(messages.map((message) => [message.id, message]))
    for (const { ids, recipients } of acknowledged) {
      if (ids.length !== recipients.length)
        yield `${ids.length} ids for ${recipients.length} recipients`
      for (const [i, id] of ids.entries())
        if (byId.get(id)?.to !== recipients[i])
          yield `acknowledged, but not stored: ${id} to ${recipients[i]}`
    }
  },
  function* oneMessageANumber({ messages }) {
    for (const [to, same] of Map.groupBy(messages, (message) => message.to))
      if (same.length > 1) yield `stored ${same.length} times: the message to ${to}`
  },
  function* quotaIsExact({ used, messages }) {
    if (used !== messages.length) yield `${messages.length} messages stored, ${used} counted`
  },
  function* nothingTwice({ messages, sent }) {
    for (const { id, guarantee } of messages) {
      const lines = sent.get(id) ?? []
      const attempts = new Set(lines.map(({ attempt }) => attempt))
      if (attempts.size < lines.length) yield `one attempt sent ${lines.length} times: ${id}`
      if (guarantee === 'at_most_once' && lines.length > 1)
        yield `sent ${lines.length} times: ${id}`
    }
  },
  function* nothingInvented({ messages, sent }) {
    const known = new Set(messages.map(({ id }) => id))
    for (const id of sent.keys()) if (!known.has(id)) yield `sent, but not stored: ${id}`
  },
  function* statusIsTrue({ messages, sent }) {
    for (const { id, status, reason } of messages) {
      const isOut = sent.has(id)
      if ((status === 'sent' || status === 'delivered') && !isOut)
        yield `${status}, but no phone sent it: ${id}`
      if (status === 'failed' && reason !== REASONS.silent && isOut)
        yield `"${reason}", but it went out: ${id}`
      if (status === 'failed' && reason === '') yield `failed without a reason: ${id}`
      if (!['sent', 'delivered', 'failed'].includes(status)) yield `in the end ${status}: ${id}`
    }
  },
  function* neverBack({ messages, events }) {
    for (const { id, status } of messages) {
      let at: Status = 'assigned'
      let attempt = 0
      for (const event of events.get(id) ?? []) {
        if (!NEXT[at].includes(event.status)) yield `from ${at} to ${event.status}: ${id}`
        if (event.status === 'sending' && event.attempt !== attempt + 1)
          yield `attempt ${event.attempt} after ${attempt}: ${id}`
        if (event.status === 'sending') attempt = event.attempt
        at = event.status
      }
      if (at !== status) yield `its last event says ${at}, itself ${status}: ${id}`
    }
  },
]

function figuresOf({ messages, sent, acknowledged }: Case): string {
  const statuses = Map.groupBy(messages, ({ status }) => status)
  const counts = [...statuses].map(([status, { length }]) => `${length} ${status}`).join(', ')
  const again = [...sent.values()].filter((lines) => lines.length > 1).length
  return `${acknowledged.length} sends acknowledged, ${messages.length} messages (${counts}), ${again} sent again under at_least_once`
}
