import {
  createMcpHandler,
  McpServer,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import type { McpCaller, McpServices } from './caller.ts'
import type { Tool } from './define-tool.ts'
import { FIND_TOOLS } from './find-tools.ts'
import { makeInputSchema, runTool } from './run-tool.ts'
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
