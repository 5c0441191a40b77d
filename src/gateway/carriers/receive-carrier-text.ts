import { makeUserHolder } from '../../engine/collections/collection.ts'
import { FilesFull } from '../../engine/files/storage-limit.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { AddressRefused } from '../../platform/outgoing/refuse-private-addresses.ts'
import { sendOutgoing } from '../../platform/outgoing/send-request.ts'
import { writeMmsText } from '../../portable/attachment-lines.ts'
import type { CarrierFile, CarrierText } from '../../programs/agent/drivers/http/read-call.ts'
import { fitTextToServer } from '../../programs/agent/server-limits.ts'
import { checkShape } from '../base/body-schemas.ts'
import { type Attachment, readAttachment } from '../base/message-files.ts'
import { keepsAttachments } from '../conversations/store-attachments.ts'
import { makeReceivedId, receiveTexts } from '../conversations/store-received-texts.ts'
import { INCOMING_BODY } from '../lines/device-schemas.ts'
import { type DeviceOwner, type LinkServices, workAsDevice } from './carrier-device-link.ts'

/** A file as an attachment, unless it cannot be fetched; `isLate`: not now, but perhaps later. */
interface FetchedFile extends CarrierFile {
  readonly attachment?: Attachment | undefined
  readonly isLate?: boolean
}

interface FetchLimits {
  readonly allowPrivate: boolean
  readonly maxFiles: number
  /** Maximum bytes of all files together. */
  readonly maxBytes: number
  /** Deadline of all files (monotonic clock). */
  readonly untilMs: number
}

/** Statuses below 500 that are temporary. */
const PASSING = new Set([408, 425, 429])

/**
 * Fetches files, one after the other. The requests contain no credentials, because a call may name an address
 * of any host. Each request and each byte read counts, also of files that are then left out. Never rejects.
 */
export async function fetchFiles(
  files: readonly CarrierFile[],
  { maxFiles, maxBytes, ...limits }: FetchLimits,
): Promise<FetchedFile[]> {
  const fetched: FetchedFile[] = []
  let [requests, room] = [maxFiles, maxBytes]
  for (const file of files) {
    const isAsked = requests > 0 && (file.size ?? 0) <= room && hasNoCredentials(file.url)
    if (!isAsked) {
      fetched.push(file)
      continue
    }
    const { bytes = 0, ...found } = await fetchFile(file, room, limits)
    requests--
    room = Math.max(0, room - bytes)
    fetched.push({ ...file, ...found, ...(found.attachment && { size: bytes }) })
  }
  return fetched
}

/** Whether an address has no user name and password, which Node would send. */
function hasNoCredentials(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed?.username === '' && parsed.password === ''
}

/** `bytes`: how many were read. */
type Found = Pick<FetchedFile, 'attachment' | 'isLate'> & { readonly bytes?: number }

async function fetchFile(
  { url, name }: CarrierFile,
  maxBytes: number,
  { allowPrivate, untilMs }: Pick<FetchLimits, 'allowPrivate' | 'untilMs'>,
): Promise<Found> {
  const timeoutMs = untilMs - performance.now()
  // a timer may fire a fraction of a millisecond early
  if (timeoutMs < 1) return { isLate: true }
  try {
    // one byte more than may be kept shows that a file is too large
    const limits = { allowPrivate, timeoutMs, maxBodyBytes: maxBytes + 1, bodyStatus: 200 }
    const request = { url, method: 'GET', headers: {}, body: undefined }
    const { status, body } = await sendOutgoing(request, limits)
    if (status >= 500 || PASSING.has(status)) return { isLate: true }
    const bytes = body.length
    if (bytes === 0 || bytes > maxBytes) return { bytes }
    return { attachment: await readAttachment(name, body).catch(() => undefined), bytes }
  } catch (error) {
    return error instanceof AddressRefused ? {} : { isLate: true }
  }
}

/** From this age of a text on, a file that cannot be fetched is left out: few carriers repeat later calls. */
const LAST_TRY_MS = 4 * 60_000

/**
 * Stores a carrier's text with its files, which must arrive before `untilMs` (monotonic clock). False if a
 * file cannot be fetched now and the carrier `repeats` the call: the text is stored without files, and the
 * same text adds them later.
 */
export function receiveText(
  services: LinkServices,
  owner: DeviceOwner,
  text: CarrierText,
  at: Date,
  { untilMs, repeats }: { readonly untilMs: number; readonly repeats: boolean },
): Promise<boolean> {
  const { config } = services
  const { maxAttachments, maxAttachmentBytes: maxBytes, maxAccountFileBytes: maxFileBytes } = config
  const itemOf = (body: string) => {
    const { items } = checkShape(INCOMING_BODY, { items: [fitTextToServer({ ...text, body }, at)] })
    return items[0]!
  }
  const identity = itemOf(text.body || text.key).body
  return workAsDevice(services, owner, async (store, device) => {
    const { files: named = [] } = text
    if (
      named.length > 0 &&
      (await hasFiles(store.db, makeReceivedId(device, { ...itemOf(''), identity })))
    )
      return true
    const memory = admission.memory.open(makeUserHolder(owner.user))
    try {
      const files = await fetchFiles(named, {
        allowPrivate: config.webhookAllowPrivate,
        maxFiles: keepsAttachments(store) ? maxAttachments : 0,
        maxBytes,
        untilMs: named.length === 0 || memory.tryTake(maxBytes) ? untilMs : 0,
      })
      const isLastTry = !repeats || Date.now() - at.getTime() > LAST_TRY_MS
      const isWhole = isLastTry || !files.some(({ isLate }) => isLate)
      const take = async (kept: typeof files) => {
        const left = files.filter((file) => !kept.includes(file))
        const attachments = isWhole ? kept.flatMap(({ attachment }) => attachment ?? []) : []
        const item = itemOf(writeMmsText([text.body].filter(Boolean), kept, left))
        await receiveTexts(
          store,
          device,
          [{ ...item, identity, attachments, maxFileBytes }],
          config.optWords,
        )
      }
      await take(
        files.filter(({ attachment, isLate }) => attachment || (isLate && !isWhole)),
      ).catch((error: unknown) => {
        if (!(error instanceof FilesFull)) throw error
        return take([])
      })
      return isWhole
    } finally {
      memory.close()
    }
  })
}

/** Whether a message is stored with files. */
async function hasFiles(db: Db, id: string): Promise<boolean> {
  const stored = await queries(db)
    .selectFrom('sms_messages')
    .select('attachments')
    .where('id', '=', id)
    .executeTakeFirst()
  return (stored?.attachments.length ?? 0) > 0
}
