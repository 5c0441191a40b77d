import { makeRandomId } from '../../platform/tools/random.ts'

/** Maximum bytes of an uploaded file's name. Of longer names only the end is kept. */
const MAX_SENT_BYTES = 300
const MAX_EXTENSION = 20
const MIN_BASE = 3
const MAX_BASE = 100
const RANDOM_LENGTH = 10

/**
 * The name under which a file is stored, with a random part that cannot be guessed. PocketBase:
 * tools/filesystem/file.go, normalizeName; docs/internals/pocketbase-contract.md, 4.6
 */
export function makeStoredName(sent: string, detected: string): string {
  const name = Buffer.from(sent).subarray(-MAX_SENT_BYTES).toString('utf8')
  const sentExtension = readExtension(name)
  const base = toSnakeCase(trimDots(name.slice(0, name.length - sentExtension.length)))
  const long = base.length < MIN_BASE ? base + makeRandomId(RANDOM_LENGTH) : base.slice(0, MAX_BASE)
  return `${long}_${makeRandomId(RANDOM_LENGTH)}${cleanExtension(sentExtension, detected)}`
}

function readExtension(name: string): string {
  const last = name.lastIndexOf('.')
  if (last < 0) return ''
  const second = last === 0 ? -1 : name.lastIndexOf('.', last - 1)
  return name.slice(second >= 0 ? second : last)
}

const trimDots = (text: string) => text.replace(/^\.+|\.+$/g, '')

function cleanExtension(sent: string, detected: string): string {
  const kept = trimDots(sent.replace(/[^\w.*\-+=#]+/g, ''))
  const extension = kept === '' ? detected : `.${kept}`
  return extension.length > MAX_EXTENSION
    ? `.${trimDots(extension.slice(-MAX_EXTENSION))}`
    : extension
}

export const trimStoredName = (name: string): string => name.replace(/_[a-z0-9]{10}(?=\.|$)/, '')

/** `myTestDB` becomes `my_test_db`. */
export const toSnakeCase = (text: string): string =>
  text
    .split(/[\W_]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?<=[^A-Z])(?=[A-Z])/g, '_'))
    .join('_')
    .toLowerCase()
