import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import type { Extensions } from '../../records/collection-extension.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Scope } from '../../request/scopes.ts'
import type { EstimateConfig } from '../../sms/send/cost-estimate.ts'
import type { SendServices } from '../../sms/send/send.ts'
import type { Sender } from '../../sms/send/sender.ts'

export interface McpServices extends SendServices {
  readonly extensions: Extensions
  readonly config: Pick<Config, 'maxRecipients' | 'monthlyQuota' | 'publicUrl'> & EstimateConfig
  readonly log: Logger
}

export interface McpCaller {
  readonly sender: Sender
  readonly may: (scope: Scope) => boolean
  /** Runs `work` with this key as the sender. Repeats `work` if the user or the key has changed meanwhile. */
  readonly asSender: <T>(work: (sender: Sender) => Promise<T>) => Promise<T>
  /** Makes a request that reads records with the user's rights and limits. */
  readonly reading: (query: Readonly<Record<string, string>>) => RequestInfo
}
