import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GrowingRoom, type Share } from '../admission/budget.ts'
import { badRequest } from '../errors.ts'
import { removeLeftovers } from '../tools/remove-leftovers.ts'
import type { Content } from './upload.ts'

const MEMORY_BYTES = 64 << 10
const READ_BYTES = 64 << 10

const PREFIX = 'pocketsms-upload-'
/** Folders older than this, longer than any request takes, are leftovers. */
const LEFTOVER_MS = 3_600_000

interface Stretch {
  readonly at: number
  readonly length: number
}

/** Files of one request: first bytes in memory, the rest in one temporary file, as open files are limited. */
export class UploadSpace {
  readonly #share: Share | undefined
  readonly #room: GrowingRoom | undefined
  #memory: number
  #file: ReturnType<typeof openTemporary> | undefined
  #end = 0
  #isClosed = false

  /** `share` counts the temporary file and is closed with the space. `declared`: see GrowingRoom. */
  constructor(share?: Share, declared = 0, memory = MEMORY_BYTES) {
    this.#share = share
    this.#room = share && new GrowingRoom(share, declared)
    this.#memory = memory
  }

  takeMemory(bytes: number): boolean {
    if (this.#memory < bytes) return false
    this.#memory -= bytes
    return true
  }

  /** Appends to the temporary file when there is room. Throws RetryLater, 400 once it is closed. */
  async append(part: Buffer): Promise<Stretch> {
    // reserve before the write, because several files may be written at a time
    const at = this.#end
    this.#end += part.length
    await this.#room?.growTo(this.#end)
    if (this.#isClosed) throw badRequest()
    this.#file ??= openTemporary()
    const { handle } = await this.#file
    for (let done = 0; done < part.length; ) {
      const { bytesWritten } = await handle.write(part, done, part.length - done, at + done)
      done += bytesWritten
    }
    return { at, length: part.length }
  }

  /** Reads without a stream of the file handle, which would close the file if it is not read to its end. */
  async *read({ at, length }: Stretch): AsyncGenerator<Buffer> {
    const { handle } = await this.#file!
    for (let done = 0; done < length; ) {
      const piece = Buffer.alloc(Math.min(READ_BYTES, length - done))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at + done)
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it')
      yield piece.subarray(0, bytesRead)
      done += bytesRead
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const file = await this.#file?.catch(() => undefined)
    if (file) {
      await file.handle.close()
      await rm(file.folder, { recursive: true, force: true })
    }
    this.#share?.close()
  }
}

async function openTemporary() {
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  const handle = await open(join(folder, 'content'), 'w+')
  // removed at once, so that nothing is left after a kill; `close` retries on systems that do not allow it
  await rm(folder, { recursive: true, force: true }).catch(() => {})
  return { handle, folder }
}

/** Removes folders that a killed process left. Younger ones may be another server's. */
export const removeUploads = () => removeLeftovers(tmpdir(), PREFIX, LEFTOVER_MS)

export class Spool implements Content {
  readonly #space: UploadSpace
  readonly #parts: (Buffer | Stretch)[] = []
  size = 0

  constructor(space: UploadSpace) {
    this.#space = space
  }

  async write(part: Buffer): Promise<void> {
    this.size += part.length
    // a copy: the part may be a slice of a large buffer
    const isKept = this.#space.takeMemory(part.length)
    this.#parts.push(isKept ? Buffer.from(part) : await this.#space.append(part))
  }

  async *pieces(bytes: number): AsyncGenerator<Buffer> {
    let piece: Buffer[] = []
    let size = 0
    for await (const part of this.#read()) {
      for (let at = 0; at < part.length; ) {
        const more = part.subarray(at, at + bytes - size)
        piece.push(more)
        size += more.length
        at += more.length
        if (size < bytes) continue
        yield Buffer.concat(piece)
        piece = []
        size = 0
      }
    }
    if (size > 0) yield Buffer.concat(piece)
  }

  async *#read(): AsyncGenerator<Buffer> {
    for (const part of this.#parts) {
      if (Buffer.isBuffer(part)) yield part
      else yield* this.#space.read(part)
    }
  }
}
