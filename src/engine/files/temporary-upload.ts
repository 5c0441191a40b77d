import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badRequest } from '../../platform/api-errors.ts'
import { GrowingRoom, type Share } from '../../platform/limits/byte-budget.ts'
import { removeLeftovers } from '../../platform/tools/remove-leftovers.ts'

const MEMORY_BYTES = 64 << 10
const READ_BYTES = 64 << 10

export const UPLOAD_PREFIX = 'pocketsms-upload-'
/** Temporary folders older than this are leftovers: no request takes as long. */
const LEFTOVER_MS = 3_600_000

interface Stretch {
  readonly at: number
  readonly length: number
}

export type UploadSpace = ReturnType<typeof openUploadSpace>
export type Spool = ReturnType<UploadSpace['makeSpool']>

/**
 * Room for the files of one request: the first bytes in memory, the rest in one temporary file, to open few
 * files. `share`: budget for the temporary file, given back by `close`. `declared`: see GrowingRoom.
 */
export function openUploadSpace(share?: Share, declared = 0, memory = MEMORY_BYTES) {
  const room = share && new GrowingRoom(share, declared)
  let memoryLeft = memory
  let file: ReturnType<typeof openTemporary> | undefined
  let end = 0
  let isClosed = false

  /** Appends to the temporary file. Throws RetryLater if `share` gets no room, 400 if the space is closed. */
  async function append(part: Buffer): Promise<Stretch> {
    // advance `end` before the write, because several files may be written at the same time
    const at = end
    end += part.length
    await room?.growTo(end)
    if (isClosed) throw badRequest()
    file ??= openTemporary()
    const { handle } = await file
    for (let done = 0; done < part.length; ) {
      const { bytesWritten } = await handle.write(part, done, part.length - done, at + done)
      done += bytesWritten
    }
    return { at, length: part.length }
  }

  /** Reads with `handle.read`: a stream would close the handle if it is not read to its end. */
  async function* read({ at, length }: Stretch): AsyncGenerator<Buffer> {
    const { handle } = await file!
    for (let done = 0; done < length; ) {
      const piece = Buffer.alloc(Math.min(READ_BYTES, length - done))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at + done)
      if (bytesRead === 0)
        throw new Error('a temporary file is shorter than what was written to it')
      yield piece.subarray(0, bytesRead)
      done += bytesRead
    }
  }

  return {
    makeSpool() {
      const parts: (Buffer | Stretch)[] = []
      let size = 0
      return {
        get size(): number {
          return size
        },
        async write(part: Buffer): Promise<void> {
          size += part.length
          const isKept = memoryLeft >= part.length
          if (isKept) memoryLeft -= part.length
          // a copy: the part may be a slice of a large buffer
          parts.push(isKept ? Buffer.from(part) : await append(part))
        },
        async *pieces(bytes: number): AsyncGenerator<Buffer> {
          let piece: Buffer[] = []
          let gathered = 0
          for (const stored of parts) {
            for await (const part of Buffer.isBuffer(stored) ? [stored] : read(stored)) {
              for (let at = 0; at < part.length; ) {
                const more = part.subarray(at, at + bytes - gathered)
                piece.push(more)
                gathered += more.length
                at += more.length
                if (gathered < bytes) continue
                yield Buffer.concat(piece)
                piece = []
                gathered = 0
              }
            }
          }
          if (gathered > 0) yield Buffer.concat(piece)
        },
      }
    },
    async close(): Promise<void> {
      isClosed = true
      const opened = await file?.catch(() => undefined)
      if (opened) {
        await opened.handle.close()
        await rm(opened.folder, { recursive: true, force: true })
      }
      share?.close()
    },
  }
}

async function openTemporary() {
  const folder = await mkdtemp(join(tmpdir(), UPLOAD_PREFIX))
  const handle = await open(join(folder, 'content'), 'w+')
  // removed now, so that a kill leaves nothing; `close` tries again, for systems that do not allow this
  await rm(folder, { recursive: true, force: true }).catch(() => {})
  return { handle, folder }
}

/** Removes old temporary folders, which killed processes left. Younger ones may be another server's. */
export const removeLeftoverUploads = () => removeLeftovers(tmpdir(), UPLOAD_PREFIX, LEFTOVER_MS)
