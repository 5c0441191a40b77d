import type { Upload } from '../../../engine/files/upload.ts'
import { readJsonBody } from '../../../http/body/raw-body.ts'
import { readRequestBody } from '../../../http/body/read-body.ts'
import type { Ctx } from '../../../http/request-context.ts'
import type { Routed } from '../../../http/route-limits.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import { readMediaType } from '../../../platform/tools/charsets.ts'
import { parseJson } from '../../../platform/tools/json.ts'

const FORM_WITH_FILES_BYTES = 32 << 20

const isForm = (c: Routed) =>
  readMediaType(c.req.header('content-type')).startsWith('multipart/form-data')

/** The size of a route's bodies: of JSON, or of a form with files. */
export const allowFiles =
  (jsonBytes: number) =>
  (c: Routed): number =>
    isForm(c) ? FORM_WITH_FILES_BYTES : jsonBytes

interface SendRequest {
  readonly json: unknown
  readonly uploads: readonly Upload[]
  /** The file of the list, of a form that may have one. */
  readonly list?: Upload | undefined
}

/**
 * A body of JSON, or a form as the same JSON with the files of `attachments`. `other`: the form may have a
 * file of this name, too.
 */
export const readSendRequest = async (c: Ctx, other?: 'list'): Promise<SendRequest> =>
  isForm(c) ? readForm(c, other) : { json: await readJsonBody(c), uploads: [] }

const LISTS = new Set(['recipients', 'group_ids', 'attachments', 'columns'])
/** Fields that are JSON in a form, too. */
const OBJECTS = new Set(['variables', 'repeat', 'list', 'reminder'])

/** A form with files as JSON. Its values are texts, numbers and booleans by their look. */
async function readForm(c: Ctx, other: string | undefined): Promise<SendRequest> {
  const { values, files } = await readRequestBody(c, readMediaType(c.req.header('content-type')))
  for (const key of files.keys())
    if (key !== 'attachments' && key !== other)
      throw invalidRequest(`A file can be named attachments, not ${key}`)
  const json: [string, unknown][] = []
  // an empty field of a form is an absent one
  for (const [key, value] of Object.entries(values))
    if (value !== '') json.push([key, readFormValue(key, value)])
  const [list, more] = other ? (files.get(other) ?? []) : []
  if (more) throw invalidRequest('list must be one file')
  return { json: Object.fromEntries(json), uploads: files.get('attachments') ?? [], list }
}

/** Fields that are numbers or booleans; other values that look like these are texts. */
const TYPED = new Set([
  'hold_seconds',
  'priority',
  'sim',
  'ttl',
  'undo_seconds',
  'answers',
  'bulk',
  'quiet_hours',
  'requires_consent',
  'requires_values',
  'smart_encoding',
])

function readFormValue(key: string, value: unknown): unknown {
  // as in JSON, which `@jsonPayload` brings
  if (value === null) return null
  if (LISTS.has(key)) return (Array.isArray(value) ? value : [value]).map(String)
  if (OBJECTS.has(key) && typeof value === 'string') {
    const read = parseJson(value)
    // what is no JSON stays a text, and is refused
    return read === undefined ? value : read
  }
  const isGuessed = typeof value === 'number' || typeof value === 'boolean'
  return isGuessed && !TYPED.has(key) ? String(value) : value
}
