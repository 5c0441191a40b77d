import { fileTypeFromBuffer } from 'file-type'
import { isText, withCharset } from './charset.ts'
import NAMES from './pocketbase-names.json' with { type: 'json' }
import { COMPOUND_CLASSES, SIGNATURES, type Signature } from './signatures.ts'
import { HEAD_BYTES, textKind } from './text-kinds.ts'

export interface Sniffed {
  /** The type with its charset: `text/plain; charset=utf-8`. */
  readonly type: string
  /** The extension with its dot; '' if there is none. */
  readonly extension: string
  readonly names: readonly string[]
}

/** Detects a file's type by its first bytes and names it as PocketBase does (gabriel-vasile/mimetype). */
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

function ofCompound(bytes: Buffer, head: string): Signature | undefined {
  if (bytes.length < 512) return undefined
  const sectorBytes = bytes.readUInt16LE(26) === 4 ? 4096 : 512
  const root = sectorBytes * (1 + bytes.readUInt32LE(48)) + 80
  return bySignature(head.slice(root), COMPOUND_CLASSES)
}

const isZlib = (bytes: Buffer) => bytes.length > 1 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0

type NamedType = readonly [type: string, extension: string]

/** From mimetype. `renamed`: type and extension for a type of file-type. `aliases`: other names of a type. */
const { renamed, aliases } = NAMES as {
  readonly renamed: Readonly<Record<string, readonly string[]>>
  readonly aliases: Readonly<Record<string, readonly string[]>>
}

const pocketbaseName = ({ mime, ext }: { readonly mime: string; readonly ext: string }): NamedType =>
  (renamed[mime] as NamedType | undefined) ?? [mime, `.${ext}`]

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'

function namesOf(type: string): string[] {
  if (type.startsWith(OPEN_DOCUMENT)) return [type, type.replace('application/', 'application/x-')]
  return [type, ...(aliases[type] ?? [])]
}
