import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badRequest } from '../errors.ts'

/** What a request may take of memory while it comes in; the rest waits in a temporary file. PocketBase: Go's multipart */
export const MEMORY_BYTES = 16 << 20
/** What all requests together may take of it: many may be slow, or never end. */
const ALL_MEMORY_BYTES = 128 << 20
let allMemory = ALL_MEMORY_BYTES
/** What is read of the temporary file at a time. */
const READ_BYTES = 64 << 10

/** A stretch of the temporary file. */
interface Stretch {
  readonly at: number
  readonly length: number
}

interface TemporaryFile {
  readonly handle: FileHandle
  readonly folder: string
}

/**
 * Where the files of one request are, or its large body: in memory while there is room, then in one temporary file for all of them, since a
 * request may bring more files than a process may have open. Who wants something of it after it was closed gets a 400:
 * the client is gone, and what it sent must not be taken for empty.
 */
export class Room {
  memory: number
  #taken = 0
  #file: Promise<TemporaryFile> | undefined
  #end = 0
  #isClosed = false

  constructor(memory = MEMORY_BYTES) {
    this.memory = memory
  }

  checkOpen(): void {
    if (this.#isClosed) throw badRequest()
  }

  /** Whether there is so much memory left; then it is taken until the end. */
  take(bytes: number): boolean {
    if (this.memory < bytes || allMemory < bytes) return false
    this.memory -= bytes
    this.#taken += bytes
    allMemory -= bytes
    return true
  }

  /** Appends to the temporary file. Its place is taken at once: several files may be written. */
  async append(part: Buffer): Promise<Stretch> {
    const { handle } = await this.#open()
    const at = this.#end
    this.#end += part.length
    for (let done = 0; done < part.length; ) {
      const { bytesWritten } = await handle.write(part, done, part.length - done, at + done)
      done += bytesWritten
    }
    return { at, length: part.length }
  }

  async *read({ at, length }: Stretch): AsyncGenerator<Buffer> {
    for (let done = 0; done < length; ) {
      const { handle } = await this.#open()
      const piece = Buffer.alloc(Math.min(READ_BYTES, length - done))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at + done)
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it')
      yield piece.subarray(0, bytesRead)
      done += bytesRead
    }
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    this.#isClosed = true
    allMemory += this.#taken
    this.#taken = 0
    const file = await this.#file?.catch(() => undefined)
    this.#file = undefined
    if (!file) return
    await file.handle.close()
    await rm(file.folder, { recursive: true, force: true })
  }

  #open(): Promise<TemporaryFile> {
    this.checkOpen()
    this.#file ??= openTemporary()
    return this.#file
  }
}

async function openTemporary(): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), 'pocketsms-upload-'))
  const handle = await open(join(folder, 'content'), 'w+')
  // nothing is left of it then if the process is killed; a system that does not allow it waits for the end
  await rm(folder, { recursive: true, force: true }).catch(() => {})
  return { handle, folder }
}

/** Content that is written once, then read as often as needed: in memory while there is room, then in the file. */
export class Spool {
  readonly #room: Room
  readonly #parts: (Buffer | Stretch)[] = []
  size = 0

  constructor(room: Room) {
    this.#room = room
  }

  async write(part: Buffer): Promise<void> {
    this.#room.checkOpen()
    this.size += part.length
    this.#parts.push(this.#room.take(part.length) ? part : await this.#room.append(part))
  }

  /** The content from its beginning, in pieces of `bytes`, the last one shorter. Throws a 400 once its room is closed. */
  async *pieces(bytes: number): AsyncGenerator<Buffer> {
    let piece: Buffer[] = []
    let size = 0
    for await (const part of this.parts()) {
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

  /** The same in pieces of any size, nothing of which is copied. */
  async *parts(): AsyncGenerator<Buffer> {
    for (const part of this.#parts) {
      this.#room.checkOpen()
      if (Buffer.isBuffer(part)) yield part
      else yield* this.#room.read(part)
    }
  }
}
