import { makeUserHolder } from '../../engine/collections/collection.ts'
import { FilesFull } from '../../engine/files/storage-limit.ts'
import type { Services } from '../../http/request-context.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { reserveAsArrived } from '../../platform/limits/byte-budget.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { type FetchLimits, fetchFile } from '../../platform/outgoing/fetch-file.ts'
import { writeMmsText } from '../../portable/attachment-lines.ts'
import type { CarrierText } from '../../programs/agent/drivers/http/read-call.ts'
import type { CarrierFile } from '../../programs/agent/drivers/http/read-call-files.ts'
import { fitTextToServer } from '../../programs/agent/server-limits.ts'
import { checkShape } from '../base/body-schemas.ts'
import { type Attachment, readAttachment } from '../base/message-files.ts'
import { keepsAttachments } from '../conversations/store-attachments.ts'
import { makeReceivedId, receiveTexts } from '../conversations/store-received-texts.ts'
import { INCOMING_BODY } from '../lines/device-schemas.ts'
import { type DeviceOwner, type LinkServices, workAsDevice } from './carrier-device-link.ts'

/** A file as an attachment, or why there is none; `isLate`: not now, but perhaps later. */
interface FetchedFile extends CarrierFile {
  readonly attachment?: Attachment | undefined
  readonly fault?: string
  readonly isLate?: boolean
}

interface FilesLimits extends Omit<FetchLimits, 'room'> {
  /** Takes memory for bytes that have arrived, or throws: a file is then late. */
  readonly take: (bytes: number) => void
  readonly maxFiles: number
  /** Maximum bytes of all files together. */
  readonly maxBytes: number
}

/**
 * Fetches files, one after the other. The requests contain no credentials, because a call may name an address
 * of any host. Each request and each byte read counts, also of files that are then left out. Never rejects.
 */
export async function fetchFiles(
  files: readonly CarrierFile[],
  { maxFiles, maxBytes, take, ...limits }: FilesLimits,
): Promise<FetchedFile[]> {
  const fetched: FetchedFile[] = []
  let [requests, room] = [maxFiles, maxBytes]
  for (const file of files) {
    const fault = findFileFault(file, requests, room)
    if (fault) {
      fetched.push({ ...file, fault })
      continue
    }
    const found = await fetchFile(file.url, room, {
      ...limits,
      room: reserveAsArrived(take),
    }).catch(() => ({
      body: undefined,
      bytes: 0,
      fault: 'the server has no memory for it',
      isLate: true,
    }))
    requests--
    room = Math.max(0, room - found.bytes)
    if (found.body) {
      const attachment = await readAttachment(file.name, found.body).catch(() => undefined)
      const kept = attachment ? { attachment, size: found.bytes } : { fault: 'it cannot be stored' }
      fetched.push({ ...file, ...kept })
    } else fetched.push({ ...file, fault: found.fault, isLate: found.isLate })
  }
  return fetched
}

/** Why a file is not asked for; '' if it is. */
function findFileFault({ url, size = 0 }: CarrierFile, requests: number, room: number): string {
  if (url === '') return 'the carrier has no address for it'
  if (requests === 0) return 'the text has too many files'
  return size > room ? 'it is too large' : ''
}

/** From this age of a text on, a file that cannot be fetched is left out: few carriers repeat later calls. */
const LAST_TRY_MS = 4 * 60_000

/**
 * Stores a carrier's text with its files, which must arrive before `untilMs` (monotonic clock). False if a
 * file cannot be fetched now and the carrier `repeats` the call: the text is stored without files, and the
 * same text adds them later.
 */
export function receiveText(
  services: LinkServices & Pick<Services, 'log'>,
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
        untilMs,
        take: (bytes) => memory.takeNow(bytes),
      })
      const isLastTry = !repeats || Date.now() - at.getTime() > LAST_TRY_MS
      const isWhole = isLastTry || !files.some(({ isLate }) => isLate)
      const take = async (kept: typeof files) => {
        const left = files.filter((file) => !kept.includes(file))
        const reasons = left.map(({ fault = 'the account has no room' }) => fault)
        if (left.length > 0)
          services.log.warn({ device, reasons }, "files of a carrier's text were left out")
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

async function hasFiles(db: Db, id: string): Promise<boolean> {
  const stored = await queries(db)
    .selectFrom('sms_messages')
    .select('attachments')
    .where('id', '=', id)
    .executeTakeFirst()
  return (stored?.attachments.length ?? 0) > 0
}
