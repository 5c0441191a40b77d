import { AddressRefused } from '../../platform/outgoing/addresses.ts'
import { sendOutgoing } from '../../platform/outgoing/send.ts'
import type { CarrierFile } from '../../programs/agent/drivers/http/read-call.ts'
import { type Attachment, readAttachment } from '../conversations/store-attachments.ts'

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
    const isAsked = requests > 0 && (file.size ?? 0) <= room && isPlain(file.url)
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
function isPlain(url: string): boolean {
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
  if (timeoutMs <= 0) return { isLate: true }
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
