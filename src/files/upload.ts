import { HEAD_BYTES } from './sniff/head.ts'
import { type Sniffed, sniff } from './sniff/sniff.ts'
import { storedName } from './stored-name.ts'

/** Content that can be read from its beginning any number of times. */
export interface Content {
  readonly size: number
  /** Pieces of `bytes`, the last one shorter. */
  pieces(bytes: number): AsyncIterable<Buffer>
}

/** A file that came with a request. */
export interface Upload {
  /** Under which it will be stored. */
  readonly name: string
  /** Under which it was sent. */
  readonly originalName: string
  readonly sniffed: Sniffed
  readonly content: Content
}

/** Uploads by the key of the body that they came with, which may have a modifier. */
export type Uploads = ReadonlyMap<string, readonly Upload[]>

/** A sent file, looked at and named. */
export async function readUpload(originalName: string, content: Content): Promise<Upload> {
  const sniffed = await sniff(await headOf(content))
  return { name: storedName(originalName, sniffed.extension), originalName, sniffed, content }
}

/** The first bytes of a content: as many as it takes to tell what it is. */
async function headOf(content: Content): Promise<Buffer> {
  for await (const piece of content.pieces(HEAD_BYTES)) return piece
  return Buffer.alloc(0)
}

/** The same file sent once more under the name that it got: so PocketBase hands the files of a batch on. */
export const copyUpload = ({ name, ...upload }: Upload): Upload => ({
  ...upload,
  name: storedName(name, upload.sniffed.extension),
  originalName: name,
})
