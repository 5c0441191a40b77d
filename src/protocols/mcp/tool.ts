import type { z } from 'zod'
import type { Scope } from '../../auth/tokens/scopes.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import type { Extensions } from '../../records/extension.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { SendServices } from '../../sms/send/send.ts'
import type { Sender } from '../../sms/send/sender.ts'

/** What the tools of a caller work with. */
export interface McpServices extends SendServices {
  readonly extensions: Extensions
  readonly config: Pick<Config, 'maxRecipients' | 'monthlyQuota'>
  readonly log: Logger
}

/** The user whose API key opened a request, and what the key may do. */
export interface McpCaller {
  readonly user: string
  readonly may: (scope: Scope) => boolean
  /** Runs `work` as this sender, and again if the user or the key has changed since the request came. */
  readonly asSender: <T>(work: (sender: Sender) => Promise<T>) => Promise<T>
  /** A request of the user that reads records: rules and budgets hold as for any other. */
  readonly reading: (query: Readonly<Record<string, string>>) => RequestInfo
}

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
