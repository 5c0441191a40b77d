import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/server/server-with-devices.ts'
import type { Outcome } from '../scenario.ts'
import { type Site, until } from '../site.ts'
import { KANNEL_INCOMING, type Part, readParts, type Smsc } from './smscs.ts'
import { type Submit, Wire } from './wire.ts'

/** How long after an answer an agent that is killed may not have noted it. */
const NOTED_MS = 2_000
/** How long before the end of its link an answer may be lost: the agent may have ended the link unread. */
const UNREAD_MS = 500
/** An answer that takes longer may be too late for the agent's answer_seconds. */
const LATE_MS = 2_000
const MAX_TOLD = 5

/** Notes a fault and the text that has it. */
type Blame = (what: string, text: string) => void

/** When the agent was killed: from the order to its end. Times as performance.now() has them. */
interface Kill {
  readonly from: number
  readonly to: number
}

/** Compares what the server says of a user's texts with what passed to the SMSC. `kills`: of the agent. */
async function judgeSmpp(
  site: Site,
  user: Client,
  smsc: Smsc,
  submits: readonly Submit[],
  kills: readonly Kill[],
): Promise<Outcome> {
  const { rows } = await site.db.query(
    `select "to", body, status, guarantee, error_message from sms_messages where "user" = $1 and message_type <> 'incoming'`,
    [user.id],
  )
  const all = await readParts(submits)
  const byNumber = Map.groupBy(all, ({ to }) => `+${to}`)
  const isOpen = ({ at, status, answeredAt = 0, endedAt = Infinity }: Part) =>
    status === undefined ||
    answeredAt - at > LATE_MS ||
    endedAt - answeredAt < UNREAD_MS ||
    kills.some(({ from, to }) => to >= at && from <= answeredAt + NOTED_MS)
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
      // of a long text only some parts were out when its lease was over: then it has to go again
      else if (!isExplained && wholeCopies(parts) > 1)
        blame('sent twice, though each answer came', to!)
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

/** How many whole copies the SMSC has taken. Each attempt of a long text has a reference of its own. */
function wholeCopies(parts: readonly Part[]): number {
  const taken = parts.filter(({ status }) => status === 0)
  const attempts = [...Map.groupBy(taken, ({ ref, parts: total }) => `${ref}/${total}`).values()]
  const copiesIn = (attempt: readonly Part[]) => {
    const total = attempt[0]!.parts
    const counts = Array.from(
      { length: total },
      (_, i) => attempt.filter(({ part }) => part === i + 1).length,
    )
    return Math.min(...counts)
  }
  return attempts.reduce((sum, attempt) => sum + copiesIn(attempt), 0)
}

/** The texts that the SMSC has all parts of. */
function arrived(parts: readonly Part[]): string[] {
  const taken = parts.filter(({ status }) => status === 0)
  return [...Map.groupBy(taken, (part) => `${part.ref}/${part.parts}`).values()].flatMap(
    (group) => {
      const texts = new Map(group.map(({ part, text }) => [part, text]))
      if (texts.size < group[0]!.parts) return []
      return [...texts].sort(([a], [b]) => a - b).reduce((whole, [, text]) => whole + text, '')
    },
  )
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
const hasReceived = async (site: Site, user: Client, smsc: Smsc) =>
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

/** Recipients of a send, and time between two sends. */
const BATCH = 50
const PAUSE_MS = 250
const OFFERED = (BATCH * 1000) / PAUSE_MS
/** How long after the last send the last answer may come. */
const LAG_SECONDS = 5
/** Sends of a round of faults. */
export const BATCHES = 10
const PATIENCE_SECONDS = 120
/** Longer than the pause before the sixth attempt of a text. */
const DRAIN_SECONDS = 600
const THROTTLED = 0.05
/** Of 15 sends three are long texts: GSM 03.38 with its extension, Latin-1, UCS-2. */
const EVERY = 15
const LONG = [
  'Grüße aus Köln: 5 € für {Ärger} [und] ~mehr~ ',
  'Às três, não ¼ nem ½: «já» ',
  'Привет, мир: 你好 😀 ',
]
const FIRST_NUMBER = 100_000_000
let sends = 0

/**
 * A new account whose one device is an agent at `smsc`. With `rounds`, both are killed and links are lost
 * while texts go out; without, 200 texts a second go out.
 */
export async function tryDriver(
  site: Site,
  smsc: Smsc,
  rounds: number,
  seconds: number,
): Promise<Outcome> {
  const settings = join(site.folder, `smpp-${smsc.port}.json`)
  const wire = await Wire.open(smsc.port)
  const user = await site.makeUser()
  const phone = await site.addPhone(user, site.url, ['--driver', 'smpp', '--settings', settings])
  const kills: Kill[] = []
  const startAgent = (turn: number) => {
    writeFileSync(settings, JSON.stringify(settingsOf(wire, smsc, turn)))
    phone.start()
  }
  const strike = async (round: number) => {
    await someOpen(wire)
    const from = performance.now()
    await phone.kill()
    kills.push({ from, to: performance.now() })
    startAgent(round)
    for (const fault of [() => smsc.kill(), () => wire.cut(), () => wire.silence()]) {
      await someOpen(wire)
      fault()
      await sleep(PAUSE_MS)
    }
  }
  try {
    startAgent(0)
    await until('the agent connects', async () => wire.isUsed, PATIENCE_SECONDS)
    if (rounds > 0 && !smsc.notes) wire.throttled = THROTTLED
    for (let round = 1; round <= rounds; round++)
      await Promise.all([offer(user, (round - 1) * BATCHES, BATCHES), strike(round)])
    if (rounds > 0) await offer(user, rounds * BATCHES, BATCHES) // only the SMSC misbehaves
    const begin = performance.now()
    if (rounds === 0) await offer(user, 0, (seconds * 1000) / PAUSE_MS)
    await site.drain(DRAIN_SECONDS)
    await until('all has landed', () => hasLanded(site, user, smsc), PATIENCE_SECONDS).catch(
      () => {},
    )
    await phone.stop()
    const { faults, figures } = await judgeSmpp(site, user, smsc, wire.submits, kills)
    if (rounds > 0) return { faults, figures }
    const took = (Math.max(...wire.submits.map(({ answeredAt = 0 }) => answeredAt)) - begin) / 1000
    const figure = `${((OFFERED * seconds) / took).toFixed(0)} texts a second for ${took.toFixed(1)} s`
    return {
      faults: took > seconds + LAG_SECONDS ? [...faults, figure] : faults,
      figures: `${figure}; ${figures}`,
    }
  } finally {
    await phone.kill()
    smsc.stop()
    wire.close()
  }
}

/** Others each time, as operators change them. */
const settingsOf = (wire: Wire, smsc: Smsc, turn: number) => ({
  host: '127.0.0.1',
  port: wire.port,
  system_id: 'pocketsms',
  password: 'secret',
  senders: ['+4915100000001'],
  rate: OFFERED * 2,
  window: 20,
  sessions: 1 + (turn % 2),
  // drive_smpp knows no transceiver
  bind: smsc.notes && turn % 4 < 2 ? 'transceiver' : 'separate',
  alphabet: ['gsm', 'latin1'][turn % 2],
  long_texts: ['udh', 'sar', 'payload'][turn % 3],
  answer_seconds: 3,
  enquire_link_seconds: 1,
  answer_ids: 'hex',
  receipt_ids: 'decimal',
  country_code: '49',
})

/** Waits until requests are open, or all is sent. */
const someOpen = (wire: Wire) =>
  until('requests are open', async () => wire.open > 0, 10).catch(() => {})

/** Sends number `from` and the next ones of an account. */
async function offer(user: Client, from: number, batches: number): Promise<void> {
  const begin = performance.now()
  for (let turn = from; turn < from + batches; turn++) {
    const first = FIRST_NUMBER + sends++ * BATCH
    const long = LONG[turn % EVERY]
    const { status, body } = await user.call('POST', '/api/sms/send', {
      recipients: Array.from({ length: BATCH }, (_, n) => `+49${first + n}`),
      body: long ? `${turn} ${long.repeat(8)}`.trim() : `Text ${turn}`,
      guarantee: turn % 2 === 0 ? 'at_most_once' : 'at_least_once',
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    await sleep(Math.max(0, begin + (turn + 1 - from) * PAUSE_MS - performance.now()))
  }
}

/** Whether all receipts and all texts are there that the SMSC sent. */
async function hasLanded(site: Site, user: Client, smsc: Smsc): Promise<boolean> {
  const sent = `select count(*) from sms_messages where "user" = $1 and status = 'sent'`
  const isDelivered = !smsc.notes || (await site.value(sent, [user.id])) === 0
  return isDelivered && (await hasReceived(site, user, smsc))
}
