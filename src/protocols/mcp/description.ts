import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { json } from '../../openapi/schemas/answers.ts'
import { SENDING } from '../../openapi/schemas/chapters.ts'
import { chapter } from '../../openapi/schemas/operations.ts'
import { refusals } from '../../openapi/schemas/refusals.ts'
import { KEY_HOLDER } from '../../openapi/schemas/security.ts'

const CALL = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.string(),
    id: z.union([z.string(), z.int()]).optional(),
  })
  .meta({ id: 'McpCall', description: 'A call of JSON-RPC 2.0, or a notification without `id`.' })
const RESULT = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpResult', description: '`result` or `error` of JSON-RPC 2.0.' })

/** `/mcp`: the Model Context Protocol. */
export const mcpPaths = (): ZodOpenApiPathsObject =>
  chapter(SENDING, KEY_HOLDER, {
    'POST /mcp': {
      id: 'callMcp',
      summary: 'Call a tool as an assistant',
      description:
        'The Model Context Protocol by streamable HTTP without sessions. Its clients come with their libraries; see the page "For assistants".',
      body: [CALL],
      responses: [
        {
          200: {
            description: 'The result of a call, alone or as an event.',
            content: { ...json(RESULT), 'text/event-stream': { schema: z.string() } },
          },
        },
        { 202: { description: 'A notification was taken.' } },
        refusals('unauthorized', 'invalid_request', 'request_too_large'),
      ],
    },
  })
