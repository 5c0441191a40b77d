import { existsSync, readFileSync } from 'node:fs'
import type { Client } from '../../support/server/server-with-devices.ts'
import type { Outcome } from '../scenario.ts'
import type { Site } from '../site.ts'
import { KANNEL_INCOMING, type Part, readParts, type Smsc } from './smscs.ts'
import type { Submit } from './wire.ts'

/** How long after an answer an agent that is killed may not have noted it. */
const NOTED_MS = 1_000
/** An answer that takes longer may be too late for the agent's answer_seconds. */
const LATE_MS = 2_000
const MAX_TOLD = 5

/** Notes a fault and the text that has it. */
type Blame = (what: string, text: string) => void

/** Compares what the server says of a user's texts with what passed to the SMSC. `kills`: of the agent. */
export async function judgeSmpp(
  site: Site,
  user: Client,
  smsc: Smsc,
  submits: readonly Submit[],
  kills: readonly number[],
): Promise<Outcome> {
  const { rows } = await site.db.query(
    `select "to", body, status, guarantee, error_message from sms_messages where "user" = $1 and message_type <> 'incoming'`,
    [user.id],
  )
  const all = readParts(submits)
  const byNumber = Map.groupBy(all, ({ to }) => `+${to}`)
  const isOpen = ({ at, status, answeredAt = 0 }: Part) =>
    status === undefined ||
    answeredAt - at > LATE_MS ||
    kills.some((ms) => ms >= at && ms <= answeredAt + NOTED_MS)
  // some of its parts were out when its lease was over
  const isInPart = (parts: readonly Part[]) => kills.length > 0 && arrived(parts).length === 0
  const faults = new Map<string, string[]>()
  const blame: Blame = (what, text) => faults.set(what, [...(faults.get(what) ?? []), text])
  const counts = {
    delivered: 0,
    sent: 0,
    unknown: 0,
    'unknown and never submitted': 0,
    'sent again': 0,
    'answered late': 0,
    'of these delivered': 0,
  }
  for (const [to, body, status, guarantee, reason] of rows as string[][]) {
    const parts = byNumber.get(to!) ?? []
    if (
      parts.length === 1 &&
      parts[0]!.status === 0 &&
      (parts[0]!.answeredAt ?? 0) - parts[0]!.at > LATE_MS
    ) {
      counts['answered late']++
      if (status === 'delivered') counts['of these delivered']++
    }
    const isExplained = parts.some(isOpen) || isInPart(parts)
    if (copiesOf(parts) > 1) {
      counts['sent again']++
      if (guarantee === 'at_most_once') blame('sent twice', to!)
      else if (!isExplained) blame('sent twice, though each answer came', to!)
    }
    if (status === 'failed') {
      counts.unknown++
      if (parts.length === 0) counts['unknown and never submitted']++
      if (!isExplained) blame(`failed without a fault: ${reason}`, to!)
      if (guarantee === 'at_least_once') blame(`lost: ${reason}`, to!)
    } else if (status === 'delivered' || (status === 'sent' && !smsc.notes)) {
      counts[status]++
      if (!arrived(parts).includes(body!)) blame(`${status}, but it did not arrive whole`, to!)
    } else blame(`in the end ${status}`, to!)
  }
  const incoming = await judgeIncoming(site, user, smsc, blame)
  const figures = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  const throttled = all.filter(({ status }) => status).length
  return {
    faults: [...faults].map(
      ([what, texts]) => `${texts.length} ${what}: ${texts.slice(0, MAX_TOLD).join(' ')}`,
    ),
    figures: `${rows.length} texts: ${figures.join(', ')}; ${all.length} submit_sm, ${throttled} throttled; ${incoming}`,
  }
}

/** How often a text was sent, as far as anybody can know: the most of any of its parts. */
function copiesOf(parts: readonly Part[]): number {
  const sent = Map.groupBy(
    parts.filter(({ status }) => !status),
    ({ part }) => part,
  )
  return Math.max(0, ...[...sent.values()].map(({ length }) => length))
}

/** The texts that the SMSC has all parts of. */
function arrived(parts: readonly Part[]): string[] {
  const taken = parts.filter(({ status }) => status === 0)
  return [...Map.groupBy(taken, (part) => `${part.ref}/${part.parts}`).values()].flatMap((group) => {
    const texts = new Map(group.map(({ part, text }) => [part, text]))
    if (texts.size < group[0]!.parts) return []
    return [...texts].sort(([a], [b]) => a - b).reduce((whole, [, text]) => whole + text, '')
  })
}

/** Each text came, none came that was not sent so. */
async function judgeIncoming(site: Site, user: Client, smsc: Smsc, blame: Blame): Promise<string> {
  const came = await cameIn(site, user)
  const isSent = new Set(incomingOf(smsc))
  for (const text of came) if (!isSent.has(text)) blame('came in, but was not sent so', text)
  for (const text of missing(came, smsc)) blame('did not come in, or too few times', text)
  const words = notesOf(smsc).filter(Array.isArray)
  for (const [what, fault] of words) if (what === 'fault') blame('seen by the SMSC', fault)
  const unbinds = words.filter(([what]) => what === 'unbound').length
  return `${came.length} came in, ${came.length - incomingOf(smsc).length} of them again; ${unbinds} unbinds`
}

/** Whether all texts have come in that the SMSC has sent. */
export const hasReceived = async (site: Site, user: Client, smsc: Smsc) =>
  missing(await cameIn(site, user), smsc).length === 0

/** Sender and text of each that is stored. */
async function cameIn(site: Site, { id }: Client): Promise<string[]> {
  const sql = `select "from", body from sms_messages where "user" = $1 and message_type = 'incoming'`
  const { rows } = await site.db.query(sql, [id])
  return rows.map((row) => row.join(' '))
}

function missing(came: readonly string[], smsc: Smsc): string[] {
  const left = [...came]
  return incomingOf(smsc).filter((text) => {
    const place = left.indexOf(text)
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

/** Sender and text of what the SMSC has sent so far. */
function incomingOf(smsc: Smsc): string[] {
  if (!smsc.notes) return Array.from({ length: KANNEL_INCOMING }, (_, i) => `456 ${i + 1}`)
  return notesOf(smsc).flatMap(({ from, text }) => (text ? `${from} ${text}` : []))
}

function notesOf({ notes }: Smsc) {
  if (!notes || !existsSync(notes)) return []
  const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
