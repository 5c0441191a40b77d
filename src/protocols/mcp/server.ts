import {
  createMcpHandler,
  McpServer,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { checkShape } from '../../gateway/base/body-schemas.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { McpCaller, McpServices } from './caller.ts'
import type { Tool } from './define-tool.ts'
import { explainToolError } from './explain-tool-error.ts'
import { FIND_TOOLS } from './find-tools.ts'
import { SEND_TOOLS } from './send-tools.ts'
import { addTemplates } from './template-tools.ts'

const TOOLS: readonly (readonly [tool: Tool, inputSchema: StandardSchemaWithJSON])[] = [
  ...SEND_TOOLS,
  ...FIND_TOOLS,
].map((tool) => [tool, makeInputSchema(tool)])
const INSTRUCTIONS =
  'pocketsms sends and receives text messages through the phones of its user. Before a send, show the person the recipients and the text, and how many segments it takes (preview_message).'
const INFO = { name: 'pocketsms', title: 'pocketsms', version: '1.0.0' }

function addTools(server: McpServer, services: McpServices, caller: McpCaller): void {
  for (const [tool, inputSchema] of TOOLS) {
    const { name, title, description } = tool
    const isRead = tool.kind === 'read'
    const annotations = {
      title,
      readOnlyHint: isRead,
      destructiveHint: !isRead,
      openWorldHint: !isRead,
    }
    server.registerTool(name, { title, description, inputSchema, annotations }, (input) =>
      runTool(services, caller, tool, input),
    )
  }
}

const makeTextContent = (text: string) => [{ type: 'text' as const, text }]

/** A tool's input schema. It stops at the first fault: reporting 200,000 faults would take 13 MB and 5 s. */
function makeInputSchema({ input }: Tool): StandardSchemaWithJSON {
  const { jsonSchema } = input['~standard']
  let described: Record<string, unknown> | undefined
  return {
    '~standard': {
      version: 1,
      vendor: 'pocketsms',
      validate: (value) => checkToolInput(input, value),
      jsonSchema: {
        ...jsonSchema,
        input(options) {
          described ??= jsonSchema.input(options)
          return described
        },
      },
    },
  }
}

function checkToolInput(input: Tool['input'], value: unknown) {
  try {
    return { value: checkShape(input, value) }
  } catch (error) {
    if (error instanceof GatewayError) return { issues: [{ message: error.message }] }
    throw error
  }
}

async function runTool(services: McpServices, caller: McpCaller, tool: Tool, input: unknown) {
  const failed = (text: string) => ({ content: makeTextContent(text), isError: true })
  if (!caller.may(tool.scope)) return failed(`This API key lacks the scope ${tool.scope}.`)
  try {
    const result = await tool.run(services, caller, input as never)
    return { content: makeTextContent(JSON.stringify(result)), structuredContent: { ...result } }
  } catch (error) {
    return failed(explainToolError(services, tool.name, error))
  }
}

/** Answers by streamable HTTP without sessions (Model Context Protocol, revisions of 2025 and 2026-07-28). */
export function answerMcp(
  services: McpServices,
  caller: McpCaller,
  request: Request,
  json: unknown,
) {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(INFO, { instructions: INSTRUCTIONS })
      addTools(server, services, caller)
      addTemplates(server, services, caller)
      return server
    },
    // tools and templates send no notifications, so no stream stays open
    {
      maxSubscriptions: 0,
      onerror: (error) => services.log.debug({ err: error }, 'an MCP request failed'),
    },
  )
  return handler.fetch(request, { parsedBody: json })
}
