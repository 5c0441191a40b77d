import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../../engine/collections/collection.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../../engine/fields/date-schema.ts'
import { findStoredFiles } from '../../../engine/files/stored-files.ts'
import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import { DEVICE_PACE_MS, makeDatabaseGroups } from '../../../platform/db/group-commits.ts'
import type { Db } from '../../../platform/db/open.ts'
import { acquireLock, queries } from '../../../platform/db/queries.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import { type Device, writeAllowance } from '../../base/device-record.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { linkFiles, MESSAGE_COLLECTION } from '../../base/message-files.ts'
import { readWords } from '../send/mms.ts'
import { openText } from '../send/sealed-texts.ts'

const CLAIMED_FILE = z.object({
  name: z.string(),
  type: z.string().describe('Its MIME type.'),
  size: z.int().describe('Its bytes.'),
})

export type ClaimedMessage = Readonly<z.output<typeof CLAIMED_MESSAGE>>
const CLAIMED_MESSAGE = z
  .object({
    id: z.string(),
    attempt: z.int().min(1).describe('Send it with every report on this message.'),
    to: z.string(),
    body: z.string().describe('The text; of an MMS, it may be empty.'),
    sim: z.int().describe('Slot of the SIM to send with, that of its line; 0: any.'),
    priority: z.int(),
    expires_at: INSTANT_OR_EMPTY.describe('Do not send after it. Empty: never.'),
    lease_until: INSTANT.describe(
      'The end of the lease: send and report before it. Then the device counts as silent about this message.',
    ),
  })
  .extend({
    subject: z.string().optional().describe('Of an MMS: its subject; may be empty.'),
    attachments: z
      .array(CLAIMED_FILE)
      .optional()
      .describe('Of an MMS: its files. A message without them is a text.'),
  })
  .meta({ id: 'ClaimedMessage' })

/** A claimed message as devices read it. `attachments` have links. */
export const LINKED_MESSAGE = CLAIMED_MESSAGE.extend({
  attachments: z
    .array(
      CLAIMED_FILE.extend({
        url: z.string().describe('Where to fetch it, for a day. No token is needed.'),
      }),
    )
    .optional()
    .describe('Of an MMS: its files. A message without them is a text.'),
}).meta({ id: 'LinkedMessage' })

/** Seconds for which links of files are valid: carriers fetch them when they send. */
const LINK_SECONDS = 86_400

export async function linkClaimedFiles(
  { db }: Store,
  messages: readonly ClaimedMessage[],
  publicUrl: string,
): Promise<z.output<typeof LINKED_MESSAGE>[]> {
  const until = Math.floor(Date.now() / 1000) + LINK_SECONDS
  const linked: z.output<typeof LINKED_MESSAGE>[] = []
  for (const { attachments, ...message } of messages)
    if (attachments) {
      const names = attachments.map(({ name }) => name)
      const files = await linkFiles(db, message.id, names, until, publicUrl)
      linked.push({ ...message, attachments: files })
    } else linked.push(message)
  return linked
}

/**
 * Gives a device up to `limit` messages to send. `most` bounds the new ones, even if leases of old ones end
 * meanwhile. Concurrent claims share a query. Throws 403 if disabled.
 */
export async function claimMessages(
  { db }: Store,
  device: Device,
  limit: number,
  leaseSeconds: number,
  most = limit,
) {
  if (!device.enabled) throw gatewayRefusal('device_disabled')
  // a group has the claims of a device with the largest limit
  if (!device.isLimited && (db.inTransaction || most >= limit)) {
    const ask = { device, limit, most, room: null, leaseSeconds }
    const found = db.inTransaction
      ? (await claimForDevices(db, [ask]))[0]!
      : await claiming(db).add(ask)
    if (!found.isPaced) return found.messages
  }
  // admit few claims of limited devices: each keeps a connection while it waits for the device's other claims
  return admission.claimsAndReads.run(makeUserHolder(device.user), () =>
    claimLimited(db, device, limit, leaseSeconds, most),
  )
}

function claimLimited(db: Db, device: Device, limit: number, leaseSeconds: number, most: number) {
  return db.transaction(async (tx) => {
    const { left, lines } = await loadFreeLimits(tx, device)
    const room = Math.min(left ?? most, most)
    return (await claimForDevices(tx, [{ device, limit, room, leaseSeconds, lines }]))[0]!.messages
  })
}

/** A device's claim. `room`: how many new messages it may get; `lines`: JSON, how many each line allows. */
interface Ask {
  readonly device: Device
  readonly limit: number
  /** Maximum new messages, besides `room`. */
  readonly most?: number
  readonly room: number | null
  readonly leaseSeconds: number
  readonly lines?: string | null
}

const claiming = makeDatabaseGroups<Ask, Claimed>((db) => ({
  keyOf: ({ device }) => device.id,
  paceMs: DEVICE_PACE_MS,
  async store(asks) {
    const largest = new Map(
      asks.toSorted((a, b) => a.limit - b.limit).map((ask) => [ask.device.id, ask]),
    )
    const found = await claimForDevices(db, [...largest.values()])
    const ofDevice = new Map([...largest.keys()].map((device, i) => [device, found[i]!]))
    return asks.map(({ device, limit }) => {
      const { messages, isPaced } = ofDevice.get(device.id)!
      return { messages: messages.slice(0, limit), isPaced }
    })
  },
}))

/** Up to `limit` messages that a device has claimed and whose leases still run. */
export const loadLeasedMessages = async ({ db }: Store, device: Device, limit: number) =>
  (await claimForDevices(db, [{ device, limit, room: 0, leaseSeconds: 0 }]))[0]!.messages

/** `isPaced`: nothing new was claimed, because a line has a limit per minute that was not looked up yet. */
interface Claimed {
  readonly messages: ClaimedMessage[]
  readonly isPaced: boolean
}

/** A row of sms_claim. Without an id: nothing new was claimed, because `lines` is not known. */
type ClaimedRow = Omit<ClaimedMessage, 'id' | 'subject' | 'attachments'> & {
  number: number
  id: string | null
  sealed: string | null
  subject: string
  /** Names of the files of an MMS; null for a text. */
  attachments: string[] | null
}

async function claimForDevices(db: Db, asks: readonly Ask[]): Promise<Claimed[]> {
  const given = asks.map(
    ({ device, limit, most, room, leaseSeconds: seconds, lines = null }, number) => ({
      number,
      device: device.id,
      user: device.user,
      limit,
      most,
      room,
      seconds,
      lines: lines && JSON.parse(lines),
    }),
  )
  const rows = await queries(db)
    .selectFrom(sql<ClaimedRow>`sms_claim(${JSON.stringify(given)}::json)`.as('claimed'))
    .selectAll()
    .execute()
  const found = asks.map(() => ({ messages: [] as ClaimedMessage[], isPaced: false }))
  for (const { number, id, ...row } of rows) {
    const claimed = found[number]!
    if (id === null) claimed.isPaced = true
    else claimed.messages.push(...(await toMessage(db, asks[number]!.device.user, { id, ...row })))
  }
  counts.claims.asked += asks.length
  counts.claims.messages += found.reduce((sum, { messages }) => sum + messages.length, 0)
  return found
}

/**
 * Reads how many messages a device's limits allow, and how many each of its lines allows (JSON, by line id).
 * The device's other claims wait until the transaction ends.
 */
async function loadFreeLimits(db: Db, { id, user }: Device) {
  await acquireLock(db, LOCKS.claim, id)
  const found = await queries(db)
    .selectFrom('devices as d')
    .select(sql<number | null>`${sql.raw(writeAllowance('d'))}`.as('left'))
    .select(
      sql<string | null>`(select json_object_agg(l.id, greatest(0, l.per_minute - (
        select coalesce(sum(h.messages), 0) from device_handouts h
        where h.device = d.id and h.line = l.id and h.at > now() - interval '1 minute'
      ))) from lines l where l.device = d.id and l.per_minute > 0)`.as('lines'),
    )
    .where('d.id', '=', id)
    .where('d.user', '=', user)
    .executeTakeFirst()
  return found ?? { left: 0, lines: null }
}

/**
 * A claimed message with its decrypted text, or with its files. [] if decryption fails, or a file is gone:
 * the message's lease then runs out.
 */
async function toMessage(
  db: Db,
  user: string,
  { sealed, subject, attachments, ...message }: Omit<ClaimedRow, 'number' | 'id'> & { id: string },
): Promise<ClaimedMessage[]> {
  if (attachments) {
    const stored = await findStoredFiles(
      db,
      { collection: MESSAGE_COLLECTION, record: message.id },
      attachments,
    )
    // never without its files, which may have been deleted
    if (stored.length < attachments.length) return []
    const files = stored.map(({ name, type, size }) => ({ name, type, size }))
    return [{ ...message, body: readWords(message.body, files), subject, attachments: files }]
  }
  const body = sealed === null ? message.body : await openText(db, user, sealed)
  return body === undefined ? [] : [{ ...message, body }]
}
