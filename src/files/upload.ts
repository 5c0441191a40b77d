import { type Sniffed, sniff } from './sniff/sniff.ts'
import { HEAD_BYTES } from './sniff/texts.ts'
import { storedName } from './stored-name.ts'

/** Content that can be read repeatedly from its beginning. */
export interface Content {
  readonly size: number
  pieces(bytes: number): AsyncIterable<Buffer>
}

export interface Upload {
  readonly name: string
  readonly originalName: string
  readonly sniffed: Sniffed
  readonly content: Content
}

export type Uploads = ReadonlyMap<string, readonly Upload[]>

/** Detects the type of a sent file and names it. */
export async function readUpload(originalName: string, content: Content): Promise<Upload> {
  const sniffed = await sniff(await headOf(content))
  return { name: storedName(originalName, sniffed.extension), originalName, sniffed, content }
}

async function headOf(content: Content): Promise<Buffer> {
  for await (const piece of content.pieces(HEAD_BYTES)) return piece
  return Buffer.alloc(0)
}

/** A copy of an upload whose original name is its stored name: PocketBase renames files of a batch so. */
export const copyUpload = ({ name, ...upload }: Upload): Upload => ({
  ...upload,
  name: storedName(name, upload.sniffed.extension),
  originalName: name,
})
