import { HEAD_BYTES } from './detect-text-kind.ts'
import { type Sniffed, sniffContentType } from './sniff-content-type.ts'
import { makeStoredName } from './stored-name.ts'

/** Content that can be read repeatedly from its beginning. */
export interface FileContent {
  readonly size: number
  pieces(bytes: number): AsyncIterable<Buffer>
}

export interface Upload {
  readonly name: string
  readonly originalName: string
  readonly sniffed: Sniffed
  readonly content: FileContent
}

export type Uploads = ReadonlyMap<string, readonly Upload[]>

/** Detects the type of an uploaded file and chooses its stored name. */
export async function readUpload(originalName: string, content: FileContent): Promise<Upload> {
  const sniffed = await sniffContentType(await readFirstPiece(content))
  return { name: makeStoredName(originalName, sniffed.extension), originalName, sniffed, content }
}

async function readFirstPiece(content: FileContent): Promise<Buffer> {
  for await (const piece of content.pieces(HEAD_BYTES)) return piece
  return Buffer.alloc(0)
}

/** Copies an upload under a new name made from its stored name, as PocketBase does in a batch. */
export const copyUpload = ({ name, ...upload }: Upload): Upload => ({
  ...upload,
  name: makeStoredName(name, upload.sniffed.extension),
  originalName: name,
})

export const makeMemoryContent = (bytes: Buffer): FileContent => ({
  size: bytes.length,
  async *pieces(size) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  },
})

const PIECE_BYTES = 256 << 10

export async function readWholeContent(content: FileContent): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of content.pieces(PIECE_BYTES)) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}
