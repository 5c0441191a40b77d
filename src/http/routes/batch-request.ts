import { z } from 'zod'
import {
  makeListShape,
  makeObjectShape,
  map,
  ShapeError,
  text,
  type ValueOf,
} from '../../engine/fields/json-shapes.ts'
import {
  checkAllowed,
  checkEach,
  checkFields,
  checkMaxLength,
  checkObject,
  checkRequired,
} from '../../engine/fields/value-checks.ts'
import { badRequest } from '../../platform/api-errors.ts'
import type { RequestBody } from '../served-request.ts'

export const BATCH_REQUEST = z
  .object({
    requests: z
      .array(
        z.object({
          method: z
            .enum(['POST', 'PATCH', 'PUT', 'DELETE'])
            .describe('PUT updates a record, or creates it if it does not exist.'),
          url: z
            .string()
            .max(2000)
            .describe('Path and query of a create, update or delete of a record.'),
          headers: z.record(z.string(), z.string()).nullish(),
          body: z.record(z.string(), z.unknown()).nullish(),
        }),
      )
      .min(1),
  })
  .meta({ id: 'Batch' })

export const BATCH_EXAMPLE = {
  requests: [
    {
      method: 'POST',
      url: '/api/collections/contact_groups/records',
      body: { user: 'q0w9e8r7t6y5u4i', name: 'staff' },
    },
    { method: 'DELETE', url: '/api/collections/contacts/records/k3v9x0c2m5n8b1a' },
  ],
}

export const BATCH_ANSWER = z
  .array(z.object({ body: z.record(z.string(), z.unknown()).nullable(), status: z.int() }))
  .meta({ id: 'BatchAnswers' })

export type BatchRequest = ValueOf<typeof ONE>

const ONE = makeObjectShape({ method: text, url: text, headers: map, body: map })

const SHAPE = makeObjectShape({ requests: makeListShape(ONE) })

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const MAX_URL_BYTES = 2000

const REQUEST = checkObject({
  method: [checkRequired, checkAllowed(METHODS)],
  url: [checkRequired, checkMaxLength(MAX_URL_BYTES)],
})

export const UNREADABLE = 'Failed to read the submitted batch data.'

/** Reads the requests of a batch, at most `max`. Throws 400. */
export function readBatch(body: RequestBody, max: number): BatchRequest[] {
  const requests = decodeBatch(body)
  const checks = { requests: [checkRequired, checkMaxLength(max), checkEach(REQUEST)] }
  checkFields({ requests }, checks, 'Invalid batch request data.')
  return requests
}

function decodeBatch({ values, isJson }: RequestBody): BatchRequest[] {
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
