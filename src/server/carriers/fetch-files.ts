import type { CarrierFile } from '../../agent/drivers/http/read-call.ts'
import { AddressRefused } from '../../outgoing/addresses.ts'
import { sendOutgoing } from '../../outgoing/send.ts'

/** A file with its content, unless it cannot be fetched; `isLate`: not now, but perhaps later. */
export interface FetchedFile extends CarrierFile {
  readonly content?: Buffer
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
 * of any host. Never rejects.
 */
export async function fetchFiles(
  files: readonly CarrierFile[],
  { maxFiles, maxBytes, ...limits }: FetchLimits,
): Promise<FetchedFile[]> {
  const fetched: FetchedFile[] = []
  let [places, room] = [maxFiles, maxBytes]
  for (const file of files) {
    const found = places > 0 ? await fetchFile(file.url, room, limits) : {}
    const { content } = found
    if (content) [places, room] = [places - 1, room - content.length]
    fetched.push({ ...file, ...found, size: content?.length ?? file.size })
  }
  return fetched
}

async function fetchFile(
  url: string,
  maxBytes: number,
  { allowPrivate, untilMs }: Pick<FetchLimits, 'allowPrivate' | 'untilMs'>,
): Promise<Pick<FetchedFile, 'content' | 'isLate'>> {
  const timeoutMs = untilMs - performance.now()
  if (timeoutMs <= 0) return { isLate: true }
  try {
    // one byte more than may be kept shows that a file is too large
    const limits = { allowPrivate, timeoutMs, maxBodyBytes: maxBytes + 1 }
    const request = { url, method: 'GET', headers: {}, body: undefined }
    const { status, body: content } = await sendOutgoing(request, limits)
    if (status >= 500 || PASSING.has(status)) return { isLate: true }
    return status === 200 && content.length > 0 && content.length <= maxBytes ? { content } : {}
  } catch (error) {
    return error instanceof AddressRefused ? {} : { isLate: true }
  }
}
