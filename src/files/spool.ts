import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the files of a request may take of memory together; the rest waits in temporary files. PocketBase: Go's multipart */
export const MEMORY_BYTES = 16 << 20

/** What is left of a request's memory. */
export interface Budget {
  left: number
}

/** Content that is written once, then read as often as needed: in memory while the budget lasts, then in a file. */
export class Spool {
  readonly #budget: Budget
  #parts: Buffer[] = []
  #file: { readonly handle: FileHandle; readonly folder: string } | undefined
  size = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  async write(part: Buffer): Promise<void> {
    this.size += part.length
    if (!this.#file && this.#budget.left >= part.length) {
      this.#budget.left -= part.length
      this.#parts.push(part)
      return
    }
    this.#file ??= await this.#openFile()
    await this.#file.handle.appendFile(part)
  }

  /** The content from its beginning, in pieces of `bytes`, the last one shorter. */
  async *pieces(bytes: number): AsyncGenerator<Buffer> {
    if (this.#file) yield* this.#filePieces(this.#file.handle, bytes)
    else yield* this.#memoryPieces(bytes)
  }

  /** Lets go of the content. */
  async close(): Promise<void> {
    this.#parts = []
    await this.#file?.handle.close()
    if (this.#file) await rm(this.#file.folder, { recursive: true, force: true })
    this.#file = undefined
  }

  async #openFile() {
    const folder = await mkdtemp(join(tmpdir(), 'pocketsms-upload-'))
    const handle = await open(join(folder, 'content'), 'w+')
    // nothing is left of it then if the process is killed; a system that does not allow it waits for the end
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    for (const part of this.#parts.splice(0)) {
      await handle.appendFile(part)
      this.#budget.left += part.length
    }
    return { handle, folder }
  }

  async *#filePieces(handle: FileHandle, bytes: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.size; at += bytes) {
      const piece = Buffer.alloc(Math.min(bytes, this.size - at))
      await handle.read(piece, 0, piece.length, at)
      yield piece
    }
  }

  *#memoryPieces(bytes: number): Generator<Buffer> {
    let piece: Buffer[] = []
    let size = 0
    for (const part of this.#parts) {
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
}
