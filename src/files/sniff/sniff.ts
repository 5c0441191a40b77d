import { fileTypeFromBuffer } from 'file-type'
import { isText, withCharset } from './charset.ts'
import { type NamedType, namesOf, pocketbaseName } from './pocketbase-names.ts'
import { COMPOUND_CLASSES, SIGNATURES, type Signature } from './signatures.ts'
import { HEAD_BYTES, textKind } from './texts.ts'

/** The type of a file by its content. */
export interface Sniffed {
  /** With charset: `text/plain; charset=utf-8`. */
  readonly type: string
  /** With its dot; '' if there is none. */
  readonly extension: string
  /** All names of the type, without charset. */
  readonly names: readonly string[]
}

/**
 * Detects a file's type by its first bytes, never by its name, with PocketBase's names
 * (github.com/gabriel-vasile/mimetype). Text is not given to file-type, for which anything that begins with
 * `BM` is a picture.
 */
export async function sniff(content: Buffer): Promise<Sniffed> {
  const bytes = content.subarray(0, HEAD_BYTES)
  const head = bytes.toString('latin1')
  const [type, extension] =
    bySignature(head, SIGNATURES) ?? (isText(head) ? textKind(head) : await ofBinary(bytes, head))
  return { type: withCharset(type, head), extension, names: namesOf(type) }
}

const bySignature = (text: string, signatures: readonly Signature[]) =>
  signatures.find(([, , pattern]) => pattern.test(text))

async function ofBinary(bytes: Buffer, head: string): Promise<NamedType | Signature> {
  const kind = await fileTypeFromBuffer(bytes)
  if (!kind) return isZlib(bytes) ? ['application/zlib', ''] : ['application/octet-stream', '']
  return (kind.ext === 'cfb' && ofCompound(bytes, head)) || pocketbaseName(kind)
}

/** A compound file's directory begins with its root; the header has its sector. */
function ofCompound(bytes: Buffer, head: string): Signature | undefined {
  if (bytes.length < 512) return undefined
  const sectorBytes = bytes.readUInt16LE(26) === 4 ? 4096 : 512
  const root = sectorBytes * (1 + bytes.readUInt32LE(48)) + 80
  return bySignature(head.slice(root), COMPOUND_CLASSES)
}

const isZlib = (bytes: Buffer) => bytes.length > 1 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0
