import type { z } from 'zod'
import type { Scope } from '../../auth/tokens/scopes.ts'
import type { McpCaller, McpServices } from './caller.ts'

/** A tool as assistants see it. What it answers is a JSON object. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** What the API key must be allowed to do. */
  readonly scope: Scope
  readonly input: z.ZodObject
  /** `write`: hosts ask the person before they call it. */
  readonly kind: 'read' | 'write'
  readonly run: (services: McpServices, caller: McpCaller, input: never) => Promise<object>
}

/** A tool whose `run` takes what its `input` describes. */
export const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    readonly run: (services: McpServices, caller: McpCaller, input: z.output<Input>) => Promise<object>
  },
): Tool => definition
