import { randomId } from '../tools/random.ts'
import { HEAD_BYTES, type Sniffed, sniff } from './sniff.ts'

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

/** Longer names lose their beginning. */
const MAX_SENT_BYTES = 300
const MAX_EXTENSION = 20
const MIN_BASE = 3
const MAX_BASE = 100
const RANDOM_LENGTH = 10

/**
 * The name under which a file is stored, with a random part that cannot be guessed. PocketBase:
 * tools/filesystem/file.go, normalizeName; contract 4.6
 */
export function storedName(sent: string, detected: string): string {
  const name = Buffer.from(sent).subarray(-MAX_SENT_BYTES).toString('utf8')
  const sentExtension = extensionOf(name)
  const base = snakeCase(trimDots(name.slice(0, name.length - sentExtension.length)))
  const long = base.length < MIN_BASE ? base + randomId(RANDOM_LENGTH) : base.slice(0, MAX_BASE)
  return `${long}_${randomId(RANDOM_LENGTH)}${cleanExtension(sentExtension, detected)}`
}

function extensionOf(name: string): string {
  const last = name.lastIndexOf('.')
  if (last < 0) return ''
  const second = last === 0 ? -1 : name.lastIndexOf('.', last - 1)
  return name.slice(second >= 0 ? second : last)
}

const trimDots = (text: string) => text.replace(/^\.+|\.+$/g, '')

function cleanExtension(sent: string, detected: string): string {
  const kept = trimDots(sent.replace(/[^\w.*\-+=#]+/g, ''))
  const extension = kept === '' ? detected : `.${kept}`
  return extension.length > MAX_EXTENSION ? `.${trimDots(extension.slice(-MAX_EXTENSION))}` : extension
}

/** `myTestDB` becomes `my_test_db`. */
export const snakeCase = (text: string): string =>
  text
    .split(/[\W_]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?<=[^A-Z])(?=[A-Z])/g, '_'))
    .join('_')
    .toLowerCase()
