import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { AuthServices } from '../auth/auth-services.ts'
import type { Backups } from '../backup/backups.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Config } from '../config.ts'
import type { ApiError, GatewayError } from '../errors.ts'
import type { Uploads } from '../files/upload.ts'
import type { Logger } from '../log.ts'
import type { RequestLog } from '../logs/request-log.ts'
import type { CountedProtocol, Traffic } from '../metrics/traffic.ts'
import type { DescribedRoutes } from '../openapi/document.ts'
import type { Realtime } from '../realtime/hub.ts'
import type { Extensions } from '../records/extension.ts'
import type { AuthRecord } from '../request/request.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { Sending } from '../sms/campaigns/campaign.ts'
import type { OtherForms } from '../webhooks/call-webhook.ts'
import type { WorkerMember } from '../work/processes.ts'
import type { Job } from '../work/timers.ts'
import type { RequestMemory } from './request-memory.ts'

export interface Services {
  readonly store: CatalogStore
  readonly settings: SettingsStore
  readonly config: Config
  readonly log: Logger
  readonly logs: RequestLog
  readonly extensions: Extensions
  readonly sending: Sending
  readonly textCode: AuthServices['textCode']
  readonly jobs: readonly Job[]
  readonly protocols: readonly Protocol[]
  readonly otherForms: OtherForms
  readonly backups: Backups
  readonly realtime: Realtime
  readonly traffic: Traffic
  /** This process among the workers behind the port; undefined for one that stands alone. */
  readonly workers: WorkerMember | undefined
  /** Aborts when the server is told to stop; `/api/ready` then fails. */
  readonly stopping: AbortSignal
  /** Aborts when it begins to stop; waiting claims then end. */
  readonly closing: AbortSignal
  /** Aborts when all other requests are done; event streams then end. */
  readonly ending: AbortSignal
}

export interface Protocol extends CountedProtocol, DescribedRoutes {
  readonly errorForm: ErrorForm
  readonly routes: (services: Services) => Hono<Env>
  /** Whether its clients take a redirect for a success. */
  readonly isNeverRedirected?: boolean
  readonly canonicalPath?: (path: string) => string
  /** `canonicalPath` changes only paths that contain this. */
  readonly pathMark?: string
  readonly keyIn?: (authorization: string) => string | undefined
}

export type ErrorForm = (c: Ctx, error: ApiError | GatewayError) => Response

/** A request's body: values by key, and the files of a multipart form. */
export interface RequestBody {
  readonly values: Record<string, unknown>
  readonly files: Uploads
  /** True for a JSON body: its keys match in upper or lower case (see `Shape`). */
  readonly isJson?: boolean
  readonly release?: () => Promise<void>
}

export type Env = {
  Bindings: HttpBindings
  Variables: {
    query?: Record<string, string>
    body?: RequestBody
    leaveRequest?: () => void
    /** How errors are written, if not as the path says. */
    errorForm?: ErrorForm
    guestLimit?: number
    services?: Services
    /** The caller whose account a large body and the answer count for. */
    asker?: AuthRecord | null
    memory?: RequestMemory
  }
}
export type Ctx = Context<Env>
