import {
  list,
  object,
  optionalMap,
  type Shape,
  ShapeError,
  text,
} from '../../collections/definition/decode.ts'
import { badRequest, type ErrorData, type FieldError, fieldError } from '../../errors.ts'

/** One request of a batch, as it was sent. */
export interface BatchRequest {
  method: string
  /** Path with query. */
  url: string
  headers: Record<string, unknown> | null
  body: Record<string, unknown> | null
}

const SHAPE: Shape<{ requests: BatchRequest[] }> = object({
  requests: list(object<BatchRequest>({ method: text, url: text, headers: optionalMap, body: optionalMap })),
})

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
const MAX_URL_BYTES = 2000

/** What a batch of another shape is answered with. */
export const unreadableBatch = () => badRequest('Failed to read the submitted batch data.')

/**
 * The requests of a batch out of its body. Throws 400 for a body of another shape, for none, for more than
 * `max` and for a request without method or URL. PocketBase: apis/batch.go, core/event_request_batch.go
 */
export function readBatch(values: Readonly<Record<string, unknown>>, max: number): BatchRequest[] {
  const requests = decode(values)
  const errors = checkCount(requests.length, max) ?? checkEach(requests)
  if (errors) throw badRequest('Invalid batch request data.', { requests: errors })
  return requests
}

function decode(values: Readonly<Record<string, unknown>>): BatchRequest[] {
  try {
    const { requests } = SHAPE.over(values, SHAPE.zero())
    return requests.map((request) => ({ ...request, headers: readHeaders(request.headers) }))
  } catch (error) {
    throw error instanceof ShapeError ? unreadableBatch() : error
  }
}

/** Texts; null is an empty one. */
function readHeaders(headers: BatchRequest['headers']): BatchRequest['headers'] {
  const values = Object.entries(headers ?? {}).map(([name, value]) => [name, value ?? ''] as const)
  if (values.some(([, value]) => typeof value !== 'string')) throw unreadableBatch()
  return headers && Object.fromEntries(values)
}

const required = () => fieldError('validation_required', 'Cannot be blank')
const tooLong = (max: number) =>
  fieldError('validation_length_too_long', `The length must be no more than ${max}`, { max, min: 0 })

function checkCount(count: number, max: number): FieldError | undefined {
  if (count === 0) return required()
  return count > max ? tooLong(max) : undefined
}

function checkEach(requests: readonly BatchRequest[]): ErrorData | undefined {
  const errors: Record<string, ErrorData> = {}
  requests.forEach((request, i) => {
    const found = Object.entries({ method: checkMethod(request), url: checkUrl(request) }).filter(
      ([, e]) => e,
    )
    if (found.length > 0) errors[i] = Object.fromEntries(found) as ErrorData
  })
  return Object.keys(errors).length > 0 ? errors : undefined
}

function checkMethod({ method }: BatchRequest): FieldError | undefined {
  if (method === '') return required()
  return METHODS.has(method) ? undefined : fieldError('validation_in_invalid', 'Must be a valid value')
}

function checkUrl({ url }: BatchRequest): FieldError | undefined {
  if (url === '') return required()
  return Buffer.byteLength(url) > MAX_URL_BYTES ? tooLong(MAX_URL_BYTES) : undefined
}
