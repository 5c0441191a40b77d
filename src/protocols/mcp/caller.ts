import type { Extensions } from '../../engine/records/collection-extension.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import type { TokenScope } from '../../engine/request/scopes.ts'
import type { Sender } from '../../gateway/base/make-sender.ts'
import type { SendServices } from '../../gateway/messages/send/accept-send.ts'
import type { EstimateConfig } from '../../gateway/messages/send/cost-estimate.ts'
import type { MediaConfig } from '../../gateway/messages/send/read-media.ts'
import type { RequestMemory } from '../../http/limit-request-memory.ts'
import type { Logger } from '../../platform/log.ts'

export interface McpServices extends SendServices {
  readonly extensions: Extensions
  readonly config: SendServices['config'] & EstimateConfig & MediaConfig
  readonly log: Logger
}

export interface McpCaller {
  readonly memory: Pick<RequestMemory, 'holder' | 'keep'>
  readonly sender: Sender
  readonly may: (scope: TokenScope) => boolean
  /** Runs `work` with this key as the sender. Repeats `work` if the user or the key has changed meanwhile. */
  readonly asSender: <T>(work: (sender: Sender) => Promise<T>) => Promise<T>
  /** The request by which records are read with the user's rights and limits. */
  readonly reading: (query: Readonly<Record<string, string>>) => Partial<RequestInfo>
}
