import { createHash } from 'node:crypto'
import type { CatalogStore } from '../../../engine/collections/catalog-store.ts'
import { formatDate } from '../../../engine/fields/parse-date.ts'
import type { Extensions } from '../../../engine/records/collection-extension.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Db } from '../../../platform/db/open.ts'
import { makeRandomId } from '../../../platform/tools/random.ts'
import { lockUserSends } from '../../base/lock-user-sends.ts'
import type { Sender } from '../../base/make-sender.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import { changeOrigin, deleteTexts, lockTextsOfOrigin } from '../texts-of-origin.ts'
import { sendBodyInTransaction } from './accept-send.ts'
import type { Sending } from './make-user-sending.ts'
import type { SendBody } from './send-options.ts'
import { checkBody } from './write-text-bodies.ts'

// Kannel's bearerbox sends a long text in parts, each with a header (3GPP TS 23.040, 9.2.3.24). A part is
// stored as a message that is due in some minutes, so that each server finds it, and erasure, retention and
// cancellation reach it. The last part to arrive replaces the others by the whole text. If one never arrives,
// the others leave as texts when they are due.

/** Which part of a long text a message is. `ref`: equal in all parts, in hex. `seq`: from 1. */
export interface PartPlace {
  readonly ref: string
  readonly total: number
  readonly seq: number
}

/** How many stored parts are looked at: one key may send many under one reference. */
const MAX_FOUND = 100
/** How long a part waits for the others. */
const WAIT_MS = 5 * 60_000
/** An equal part within this time is a repetition: the sender did not get the answer to the first. */
const REPEATED_SECONDS = 600
/** Maximum parts of 1,600 characters. A part has at least 67. */
const MAX_TOTAL = 24

const makeHeaderError = () => invalidRequest('Only texts are sent here, rejected')

/** Which part a text is, by its user data header: element 00 or 08 alone. Throws 400 for another header. */
export function readPartPlace(header: Buffer): PartPlace {
  const [length, element, size] = header
  const isWhole = length === header.length - 1 && size === header.length - 3
  const isPlace = (element === 0 && size === 3) || (element === 8 && size === 4)
  if (!isWhole || !isPlace) throw makeHeaderError()
  const [total, seq] = header.subarray(-2) as unknown as [number, number]
  if (seq < 1 || seq > total) throw makeHeaderError()
  if (total > MAX_TOTAL) throw invalidRequest(`A text has at most ${MAX_TOTAL} parts, rejected`)
  return { ref: header.subarray(3, -2).toString('hex'), total, seq }
}

/**
 * Data that `sms_origins` keeps of a part. A character may continue in the next part: its half is kept here.
 */
interface StoredPart {
  readonly seq: number
  readonly before: string
  readonly behind: string
  /** The hash and length of each part of a joined text, and the parts that were repeated since. */
  readonly joined?: {
    readonly hashes: readonly string[]
    readonly lengths: readonly number[]
    readonly again: readonly number[]
  }
}

const hashPart = (text: string) => createHash('sha256').update(text).digest('base64url')
/** A lone surrogate in hex, as JSON in Postgres has none. */
const toHex = (half = '') => (half === '' ? '' : half.charCodeAt(0).toString(16))
const fromHex = (hex: string) => (hex === '' ? '' : String.fromCharCode(Number.parseInt(hex, 16)))

function splitHalves(text: string) {
  const [, before, body, behind] = /^([\udc00-\udfff]?)(.*?)([\ud800-\udbff]?)$/s.exec(text)!
  return { body: body!.toWellFormed(), before: toHex(before), behind: toHex(behind) }
}

/** A part of a text that was joined, by the body of its message; undefined if that has changed. */
function readJoined({ body, joined }: Found, seq: number): string | undefined {
  const { hashes, lengths } = joined!
  const begin = lengths.slice(0, seq - 1).reduce((sum, length) => sum + length, 0)
  const text = body.slice(begin, begin + lengths[seq - 1]!)
  return hashPart(text) === hashes[seq - 1] ? text : undefined
}

/** A message as it is found: a part, or a text that was joined. */
type Found = StoredPart & {
  readonly id: string
  readonly body: string
  /** Whether the part waits for the others. */
  readonly isWaiting: boolean
}

const writeFoundText = ({ before, body, behind }: Found) => fromHex(before) + body + fromHex(behind)

/**
 * The texts of all parts beside this one, undefined for one that has not arrived, and the messages that have
 * them (`ids`). Without `texts` the part is a repetition; `again`: of a part of this joined text.
 * @param stored the newest first.
 */
function findOthers(stored: readonly Found[], text: string, { total, seq }: PartPlace) {
  const at = stored.findIndex(({ joined }) => joined)
  const whole = stored[at]
  const since = whole ? stored.slice(0, at) : stored
  const same = since.find((one) => one.seq === seq)
  if (same && writeFoundText(same) === text) return {}
  if (since.length === 0 && whole?.joined?.hashes[seq - 1] === hashPart(text))
    return { again: whole }
  const waiting = new Map<number, Found>()
  for (const part of since.toReversed())
    if (part.isWaiting && part.seq !== seq) waiting.set(part.seq, part)
  const texts = Array.from({ length: total }, (_, i) => {
    if (i + 1 === seq) return text
    const part = waiting.get(i + 1)
    if (part) return writeFoundText(part)
    const isAgain = whole?.joined?.again.includes(i + 1)
    return isAgain ? readJoined(whole!, i + 1) : undefined
  })
  return { texts, ids: [...waiting.values()].map(({ id }) => id) }
}

/** Keeps that a part of a joined text has arrived again: it may begin another text. */
const noteAgain = (db: Db, { id, joined, ...part }: Found, seq: number) =>
  changeOrigin(db, id, {
    seq: part.seq,
    before: part.before,
    behind: part.behind,
    joined: { ...joined, again: [...new Set([...joined!.again, seq])] },
  })

interface PartServices {
  readonly store: CatalogStore
  readonly sending: Sending
  readonly extensions: Extensions
}

/**
 * Stores a part of a text to one number, or sends the whole text if it is the last part to arrive. A repeated
 * part changes nothing; one that begins another text under its reference is joined with the parts of that.
 * The parts of a whole text that is too long do not leave. Throws as `acceptSend`.
 */
export async function acceptPart(
  services: PartServices,
  sender: Sender,
  send: SendBody,
  text: string,
  { ref, total, seq }: PartPlace,
): Promise<void> {
  const { config } = services.sending
  const { user } = sender
  const now = new Date()
  const { line, recipients } = send
  const key = `${JSON.stringify([sender.key?.id, recipients[0], line.number, ref, total])} `
  const store = services.store.forUser(user)
  const done = await store.db.transaction(async (db) => {
    // one part at a time, on all servers
    await lockUserSends(db, user)
    const inside = { db, catalog: store.catalog }
    const rows = await lockTextsOfOrigin(db, {
      user,
      api: 'kannel',
      key,
      seconds: REPEATED_SECONDS,
      limit: MAX_FOUND,
    })
    const at = formatDate(now)
    const stored = rows.map(({ data, status, scheduled_at, ...message }) => ({
      ...message,
      isWaiting: status === 'pending' && scheduled_at > at,
      ...(JSON.parse(String(data)) as StoredPart),
    }))
    const found = findOthers(stored, text, { ref, total, seq })
    if (found.again) await noteAgain(db, found.again, seq)
    if (!found.texts) return {}
    const parts = found.texts.filter((part) => part !== undefined)
    const isLast = parts.length === total
    const halves = splitHalves(isLast ? parts.join('') : text)
    const joined = {
      hashes: parts.map(hashPart),
      lengths: parts.map(({ length }) => length),
      again: [],
    }
    const kept: StoredPart = isLast
      ? { seq: 0, before: '', behind: '', joined }
      : { seq, before: halves.before, behind: halves.behind }
    if (isLast) {
      await deleteTexts(inside, services.extensions, found.ids)
    }
    const waitsUntil = formatDate(new Date(now.getTime() + WAIT_MS))
    const { scheduledAt } = send.options
    const next = {
      ...send,
      content: { body: halves.body },
      options: {
        ...send.options,
        scheduledAt: isLast || scheduledAt > waitsUntil ? scheduledAt : waitsUntil,
        origin: { api: 'kannel' as const, id: key + makeRandomId(), data: { ...kept } },
      },
    }
    try {
      checkBody(next)
    } catch (error) {
      return { error }
    }
    return { wake: await sendBodyInTransaction(inside, config, sender, next) }
  })
  if (done.error) throw done.error
  wakeDevices(store.db, done.wake ?? [])
}
