import type { z } from 'zod'
import type { TokenScope } from '../../engine/request/scopes.ts'
import type { McpCaller, McpServices } from './caller.ts'

/** A tool of the Model Context Protocol. Its answer is a JSON object. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly scope: TokenScope
  readonly input: z.ZodObject
  /** Before a call of a `write` tool, assistants ask their user. */
  readonly kind: 'read' | 'write'
  readonly run: (services: McpServices, caller: McpCaller, input: never) => Promise<object>
}

export const defineTool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    readonly run: (
      services: McpServices,
      caller: McpCaller,
      input: z.output<Input>,
    ) => Promise<object>
  },
): Tool => definition
