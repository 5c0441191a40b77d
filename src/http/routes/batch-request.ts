import { checkFields, each, fields, notLonger, oneOf, required } from '../../engine/collections/checks.ts'
import { list, map, object, ShapeError, text, type ValueOf } from '../../engine/fields/json-shapes.ts'
import { badRequest } from '../../platform/errors.ts'
import type { RequestBody } from '../context.ts'

export type BatchRequest = ValueOf<typeof ONE>

const ONE = object({ method: text, url: text, headers: map, body: map })

const SHAPE = object({ requests: list(ONE) })

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const MAX_URL_BYTES = 2000

const REQUEST = fields({
  method: [required, oneOf(METHODS)],
  url: [required, notLonger(MAX_URL_BYTES)],
})

export const UNREADABLE = 'Failed to read the submitted batch data.'

/** Reads the requests of a batch, at most `max`. Throws 400. */
export function readBatch(body: RequestBody, max: number): BatchRequest[] {
  const requests = decode(body)
  const checks = { requests: [required, notLonger(max), each(REQUEST)] }
  checkFields({ requests }, checks, 'Invalid batch request data.')
  return requests
}

function decode({ values, isJson }: RequestBody): BatchRequest[] {
  try {
    const { requests } = SHAPE.over(values, SHAPE.zero(), isJson)
    return requests.map((request) => ({ ...request, headers: readHeaders(request.headers) }))
  } catch (error) {
    throw error instanceof ShapeError ? badRequest(UNREADABLE) : error
  }
}

function readHeaders(headers: BatchRequest['headers']): BatchRequest['headers'] {
  const values = Object.entries(headers).map(([name, value]) => [name, value ?? ''] as const)
  if (values.some(([, value]) => typeof value !== 'string')) throw badRequest(UNREADABLE)
  return Object.fromEntries(values)
}
