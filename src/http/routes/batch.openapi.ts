import { z } from 'zod'
import { API_ERROR, BATCH_ERROR } from '../openapi/failures.ts'
import { chapter, SERVER } from '../openapi/operations.ts'
import { FIELDS_ONLY } from '../openapi/record-parameters.ts'
import { ANYONE, SIGNED_IN } from '../openapi/security.ts'
import { json } from '../openapi/success-answers.ts'

const BATCH = z
  .object({
    requests: z
      .array(
        z.object({
          method: z
            .enum(['POST', 'PATCH', 'PUT', 'DELETE'])
            .describe('PUT updates a record, or creates it if it does not exist.'),
          url: z.string().max(2000).describe('Path and query of a create, update or delete of a record.'),
          headers: z.record(z.string(), z.string()).nullish(),
          body: z.record(z.string(), z.unknown()).nullish(),
        }),
      )
      .min(1),
  })
  .meta({ id: 'Batch' })

const BATCH_EXAMPLE = {
  requests: [
    {
      method: 'POST',
      url: '/api/collections/contact_groups/records',
      body: { user: 'q0w9e8r7t6y5u4i', name: 'staff' },
    },
    { method: 'DELETE', url: '/api/collections/contacts/records/k3v9x0c2m5n8b1a' },
  ],
}

const BATCH_ANSWER = z
  .array(z.object({ body: z.record(z.string(), z.unknown()).nullable(), status: z.int() }))
  .meta({ id: 'BatchAnswers' })

export const batchPaths = () =>
  chapter(SERVER, SIGNED_IN, {
    'POST /api/batch': {
      id: 'batch',
      summary: 'Write several records at once',
      description: 'Creates, updates and deletes records in one transaction: all or none.',
      security: ANYONE,
      params: FIELDS_ONLY,
      requestBody: {
        required: true,
        content: { ...json(BATCH, BATCH_EXAMPLE), 'multipart/form-data': { schema: z.looseObject({}) } },
      },
      answer: ['An answer for each request, in their order.', BATCH_ANSWER],
      fails: [413],
      responses: {
        400: { description: 'Nothing was written.', content: json(z.union([BATCH_ERROR, API_ERROR])) },
      },
    },
  })
