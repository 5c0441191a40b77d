import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { AuthServices } from '../engine/auth/auth-services.ts'
import type { Backups } from '../engine/backup/backups.ts'
import type { Catalog } from '../engine/collections/catalog.ts'
import type { CatalogStore } from '../engine/collections/catalog-store.ts'
import type { Uploads } from '../engine/files/upload.ts'
import type { RequestLog } from '../engine/logs/store-request-log.ts'
import type { Realtime } from '../engine/realtime/open-realtime.ts'
import type { Extensions } from '../engine/records/collection-extension.ts'
import type { AuthRecord } from '../engine/request/request.ts'
import type { SettingsStore } from '../engine/settings/settings-store.ts'
import type { ApiError, GatewayError } from '../platform/api-errors.ts'
import type { Config } from '../platform/config.ts'
import type { TimedJob } from '../platform/jobs/timed-jobs.ts'
import type { WorkerMember } from '../platform/jobs/worker-member.ts'
import type { Logger } from '../platform/log.ts'
import type { RequestMemory } from './limit-request-memory.ts'
import type { CountedApi, Traffic } from './metrics/group-requests.ts'
import type { DescribedRoutes } from './openapi/document.ts'
import type { RouteRights } from './required-role.ts'

/** What all routes use. Those of the gateway use more: `protocols/gateway-services`. */
export interface Services {
  readonly store: CatalogStore
  readonly settings: SettingsStore
  readonly config: Config
  readonly log: Logger
  readonly logs: RequestLog
  readonly extensions: Extensions
  readonly textCode: AuthServices['textCode']
  readonly jobs: readonly TimedJob[]
  readonly rights: RouteRights
  readonly apis: readonly Api[]
  readonly backups: Backups
  readonly realtime: Realtime
  readonly traffic: Traffic
  /** This process as one of several workers that share the port; undefined if it runs alone. */
  readonly workers: WorkerMember | undefined
  /** Aborts when the server is told to stop. `/api/ready` then answers 503. */
  readonly stopping: AbortSignal
  /** Aborts when the server begins to stop. Requests of phones that wait for texts to send then end. */
  readonly closing: AbortSignal
  /** Aborts when a stopping server has finished all other requests. Event streams then end. */
  readonly ending: AbortSignal
}

/** How requests below some roots are read, counted and refused. All others are as PocketBase's. */
export interface Api extends CountedApi, DescribedRoutes {
  /** Default: PocketBase's form. */
  readonly errorForm?: ErrorForm
  /** Whether it is our own, neither PocketBase's nor another product's: its errors may then say more. */
  readonly isOwn?: boolean
  /** Whether routes of our own take API keys. */
  readonly takesKeys?: boolean
  /** Whether requests are never redirected: the protocol's clients take a redirect for a success. */
  readonly isNeverRedirected?: boolean
  readonly canonicalPath?: (path: string) => string
  /** `toCanonicalPath` is called only for paths that contain this text. */
  readonly pathMark?: string
}

export type ErrorForm = (c: Ctx, error: ApiError | GatewayError) => Response

export interface RequestBody {
  readonly values: Record<string, unknown>
  readonly files: Uploads
  /** Whether the body is JSON. The case of its keys then does not matter (see `Shape`). */
  readonly isJson?: boolean
  readonly release?: () => Promise<void>
}

export type Env = {
  Bindings: HttpBindings
  Variables: {
    query?: Record<string, string>
    body?: RequestBody
    json?: Promise<unknown>
    leaveRequest?: () => void
    /** Writes this request's errors. If absent, the path decides their format. */
    errorForm?: ErrorForm
    guestLimit?: number
    services?: Services
    /** The caller to whom the memory of a large body and of the answer is charged. */
    asker?: AuthRecord | null
    /** The collections with which the credentials of the request were looked up in vain. */
    unknownIn?: Catalog
    memory?: RequestMemory
  }
}

export type Ctx = Context<Env>
