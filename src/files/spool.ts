import { type FileHandle, lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badRequest, type RetryLater } from '../errors.ts'
import { type Sender, type Share, spoolBudget } from './spool-budget.ts'
import { spoolMemory } from './spool-memory.ts'

/**
 * What a request may take of memory while it comes in; the rest waits in a temporary file. PocketBase: Go's
 * multipart
 */
export const MEMORY_BYTES = 16 << 20
/** What is read of the temporary file at a time. */
const READ_BYTES = 64 << 10

/** Of folders of temporary files. */
const PREFIX = 'pocketsms-upload-'
/** Longer than any request takes. */
const LEFTOVER_MS = 3_600_000

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
 * Where the files of one request are, or its large body: in memory while there is room, then in one temporary
 * file for all of them, since a request may bring more files than a process may have open. Who wants
 * something of it after it was closed gets a 400:
 * the client is gone, and what it sent must not be taken for empty. The file of a `sender` counts against the
 * budget of the process, which may evict the request.
 */
export class UploadSpace {
  memory: number
  #taken = 0
  #file: Promise<TemporaryFile> | undefined
  #end = 0
  #isClosed = false
  readonly #share: Share | undefined
  readonly #evicted = new AbortController()

  constructor(memory = MEMORY_BYTES, sender?: Sender) {
    this.memory = memory
    this.#share = sender && spoolBudget.open(sender, (answer) => this.#evict(answer))
  }

  /** Aborts, with the answer as reason, when the request loses its place. */
  get evicted(): AbortSignal {
    return this.#evicted.signal
  }

  /** Throws the answer to an evicted request, or 400 once it is closed. */
  checkOpen(): void {
    this.evicted.throwIfAborted()
    if (this.#isClosed) throw badRequest()
  }

  /** Counts bytes that have come, so that a slow sender is known. */
  received(bytes: number): void {
    if (this.#share) spoolBudget.received(this.#share, bytes)
  }

  /** All has come: from now on it is not evicted. */
  complete(): void {
    if (this.#share) this.#share.isReceiving = false
  }

  /** Whether there is so much memory left; then it is taken until the end. */
  take(bytes: number): boolean {
    if (this.memory < bytes || !spoolMemory.tryTake(bytes, this.#share?.holder)) return false
    this.memory -= bytes
    this.#taken += bytes
    return true
  }

  /** Appends to the temporary file. Its place is taken at once: several files may be written. */
  async append(part: Buffer): Promise<Stretch> {
    if (this.#share) await spoolBudget.take(this.#share, part.length)
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
    spoolMemory.giveBack(this.#taken, this.#share?.holder)
    this.#taken = 0
    const file = await this.#file?.catch(() => undefined)
    this.#file = undefined
    if (file) {
      await file.handle.close()
      await rm(file.folder, { recursive: true, force: true })
    }
    if (this.#share) spoolBudget.close(this.#share)
  }

  #evict(answer: RetryLater): void {
    this.#evicted.abort(answer)
    void this.close()
  }

  #open(): Promise<TemporaryFile> {
    this.checkOpen()
    this.#file ??= openTemporary()
    return this.#file
  }
}

async function openTemporary(): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  const handle = await open(join(folder, 'content'), 'w+')
  // nothing is left of it then if the process is killed; a system that does not allow it waits for the end
  await rm(folder, { recursive: true, force: true }).catch(() => {})
  return { handle, folder }
}

/**
 * Removes folders that a killed process left behind. Only where a system keeps the name of an open file are
 * they ever older than an instant; younger than an hour they may be another server's.
 */
export async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name)
    try {
      const { mtimeMs } = await lstat(folder)
      if (mtimeMs < Date.now() - LEFTOVER_MS) await rm(folder, { recursive: true, force: true })
    } catch {
      // another user's, or removed meanwhile
    }
  }
}

/**
 * Content that is written once, then read as often as needed: in memory while there is room, then in the
 * file.
 */
export class Spool {
  readonly #room: UploadSpace
  readonly #parts: (Buffer | Stretch)[] = []
  size = 0

  constructor(space: UploadSpace) {
    this.#room = space
  }

  async write(part: Buffer): Promise<void> {
    this.#room.checkOpen()
    this.#room.received(part.length)
    this.size += part.length
    this.#parts.push(this.#room.take(part.length) ? part : await this.#room.append(part))
  }

  /**
   * The content from its beginning, in pieces of `bytes`, the last one shorter. Throws a 400 once its room is
   * closed.
   */
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
