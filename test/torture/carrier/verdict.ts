import { REASONS } from '../../../src/gateway/base/message-status.ts'
import type { Outcome } from '../scenario.ts'
import type { TwoSites } from './two-sites.ts'

const MAX_TOLD = 5

/** What the scenario did, beside the texts. */
export interface Done {
  readonly acknowledged: ReadonlySet<string>
  /** The bodies that the phones received. */
  readonly incoming: readonly string[]
}

interface FrontMessage {
  readonly id: string
  readonly status: string
  readonly reason: string
  readonly guarantee: string
}

/** Compares what the senders were told, what both servers say, and what the phones sent. */
export async function judgeTwoSites(
  { front, back, user, carrier }: TwoSites,
  done: Done,
): Promise<Outcome> {
  const faults = new Map<string, string[]>()
  const blame = (what: string, which: string) =>
    faults.set(what, [...(faults.get(what) ?? []), which])
  const outgoing = await front.db.query(
    `select id, status, error_message, guarantee from sms_messages where "user" = $1 and message_type = 'outgoing'`,
    [user.id],
  )
  const messages = outgoing.rows.map(
    ([id, status, reason, guarantee]) => ({ id, status, reason, guarantee }) as FrontMessage,
  )
  const behind = await back.db.query(
    `select id, client_ref, status from sms_messages where "user" = $1 and message_type = 'outgoing'`,
    [carrier.id],
  )
  const attempts = Map.groupBy(behind.rows as string[][], ([, ref]) => ref!)
  const byMessage = Map.groupBy(behind.rows as string[][], ([, ref]) => ref!.split('.')[0]!)
  const lines = Map.groupBy(
    back.phones.flatMap((phone) => phone.sent()),
    ({ id }) => id,
  )
  const counts = new Map<string, number>()
  let doubled = 0

  const stored = new Set(messages.map(({ id }) => id))
  for (const id of done.acknowledged) if (!stored.has(id)) blame('acknowledged, but not stored', id)
  for (const [ref, rows] of attempts) {
    if (rows.length > 1) blame('an attempt became several texts', ref)
    if (!stored.has(ref.split('.')[0]!)) blame('sent, but not stored', ref)
  }
  for (const { id, status, reason, guarantee } of messages) {
    const texts = byMessage.get(id) ?? []
    const sent = texts.flatMap(([text]) => lines.get(text!) ?? [])
    const isUnknown = reason === REASONS.silent
    const name = status === 'failed' ? `failed: ${reason}` : status
    counts.set(name, (counts.get(name) ?? 0) + 1)
    if (sent.length > 1 && guarantee === 'at_least_once') doubled++
    else if (sent.length > 1) blame('sent twice', id)
    if (!['sent', 'delivered', 'failed'].includes(status)) blame(`in the end ${status}`, id)
    if (status === 'failed' && sent.length > 0 && !isUnknown)
      blame(`"${reason}", but it went out`, id)
    if (['sent', 'delivered'].includes(status) && sent.length === 0)
      blame(`${status}, but no phone sent it`, id)
    if (status === 'sent' && texts.some(([, , of]) => of === 'delivered'))
      blame('its receipt is lost', id)
  }
  const { rows } = await front.db.query(
    `select body, count(*) from sms_messages where "user" = $1 and message_type = 'incoming' group by body`,
    [user.id],
  )
  const received = new Map(rows.map(([body, count]) => [String(body), Number(count)]))
  for (const body of done.incoming) {
    const times = received.get(body) ?? 0
    if (times !== 1) blame(`received ${times} times`, body)
  }
  const kinds = [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
  return {
    faults: [...faults].map(
      ([what, which]) => `${which.length} ${what}: ${which.slice(0, MAX_TOLD).join(', ')}`,
    ),
    figures: `${messages.length} texts (${kinds}), ${doubled} of at_least_once sent again, ${done.incoming.length} received`,
  }
}
