import type { z } from 'zod'
import type { Scope } from '../../auth/tokens/scopes.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import type { Extensions } from '../../records/extension.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { SendServices } from '../../sms/send/send.ts'
import type { Sender } from '../../sms/send/shape.ts'

/** Services and settings that tools use. */
export interface McpServices extends SendServices {
  readonly extensions: Extensions
  readonly config: Pick<Config, 'maxRecipients' | 'monthlyQuota'>
  readonly log: Logger
}

/** The user of the request's API key, and the key's permissions. */
export interface McpCaller {
  readonly user: string
  readonly may: (scope: Scope) => boolean
  /** Runs `work` as the sender of this key; again if the user or the key has changed meanwhile. */
  readonly asSender: <T>(work: (sender: Sender) => Promise<T>) => Promise<T>
  /** A request to read records as the user, with the usual rules and limits. */
  readonly reading: (query: Readonly<Record<string, string>>) => RequestInfo
}

/** A tool for assistants. Its answer is a JSON object. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly scope: Scope
  readonly input: z.ZodObject
  /** `write`: hosts ask the person before they call it. */
  readonly kind: 'read' | 'write'
  readonly run: (services: McpServices, caller: McpCaller, input: never) => Promise<object>
}

/** Creates a tool whose `run` takes its parsed `input`. */
export const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    readonly run: (services: McpServices, caller: McpCaller, input: z.output<Input>) => Promise<object>
  },
): Tool => definition
