import { checkFields, each, fields, notLonger, oneOf, required } from '../../collections/checks/checks.ts'
import { badRequest } from '../../errors.ts'
import { list, object, optionalMap, ShapeError, text, type ValueOf } from '../../fields/shape.ts'

/** One request of a batch, as it was sent. `url`: path with query. */
export type BatchRequest = ValueOf<typeof ONE>
const ONE = object({ method: text, url: text, headers: optionalMap, body: optionalMap })
const SHAPE = object({ requests: list(ONE) })

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const MAX_URL_BYTES = 2000
const REQUEST = fields({
  method: [required, oneOf(METHODS)],
  url: [required, notLonger(MAX_URL_BYTES)],
})

/** What a batch of another shape is answered with. */
export const unreadableBatch = () => badRequest('Failed to read the submitted batch data.')

/**
 * The requests of a batch out of its body. Throws 400 for a body of another shape, for none, for more than
 * `max` and for a request without method or URL. PocketBase: apis/batch.go, core/event_request_batch.go
 */
export function readBatch(values: Readonly<Record<string, unknown>>, max: number): BatchRequest[] {
  const requests = decode(values)
  const checks = { requests: [required, notLonger(max), each(REQUEST)] }
  checkFields({ requests }, checks, 'Invalid batch request data.')
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
