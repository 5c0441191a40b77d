import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { AuthServices } from '../engine/auth/auth-services.ts'
import type { Backups } from '../engine/backup/backups.ts'
import type { RequestLog } from '../engine/logs/request-log.ts'
import type { Realtime } from '../engine/realtime/open-realtime.ts'
import type { Extensions } from '../engine/records/collection-extension.ts'
import type { ApiError, GatewayError } from '../platform/api-errors.ts'
import type { TimedJob } from '../platform/jobs/timed-jobs.ts'
import type { WorkerMember } from '../platform/jobs/worker-member.ts'
import type { Logger } from '../platform/log.ts'
import type { CountedApi, Traffic } from './metrics/group-requests.ts'
import type { DescribedRoutes } from './openapi/document.ts'
import type { CallerServices } from './route-limits.ts'
import type { ServedRequest } from './served-request.ts'
import type { OpenStreams } from './server/open-streams.ts'

/** Services of all routes. Routes of the gateway use more: `protocols/gateway-services`. */
export interface Services extends CallerServices {
  readonly log: Logger
  readonly logs: RequestLog
  readonly extensions: Extensions
  readonly textCode: AuthServices['textCode']
  readonly jobs: readonly TimedJob[]
  readonly apis: readonly Api[]
  readonly backups: Backups
  readonly realtime: Realtime
  readonly traffic: Traffic
  /** This process as one of several workers that share the port; undefined if it runs alone. */
  readonly workers: WorkerMember | undefined
  /** Aborts when the server begins to stop. `/api/ready` then answers 503. */
  readonly stopping: AbortSignal
  /** Aborts when the server begins to stop. Requests of phones that wait for texts to send then end. */
  readonly closing: AbortSignal
  /** Event streams. They end when a stopping server has finished all other requests. */
  readonly streams: OpenStreams
}

/** How requests below some roots are read, counted and refused. All others are as PocketBase's. */
export interface Api extends CountedApi, DescribedRoutes {
  /** Default: PocketBase's form. */
  readonly errorForm?: ErrorForm
  /** Whether the API is our own, not PocketBase's or another product's: its errors may then say more. */
  readonly isOwn?: boolean
  /** Whether routes of our own take API keys. */
  readonly takesKeys?: boolean
  /** Whether requests are never redirected: the protocol's clients take a redirect for a success. */
  readonly isNeverRedirected?: boolean
  /** Whether HEAD is refused at all roots: programs of the product expect that a GET changes something. */
  readonly refusesHead?: boolean
  readonly canonicalPath?: (path: string) => string
  /** `canonicalPath` is called only for paths that contain this text. */
  readonly pathMark?: string
}

export type ErrorForm = (c: Ctx, error: ApiError | GatewayError) => Response

export type Env = {
  Bindings: { incoming: ServedRequest; outgoing: ServerResponse }
  Variables: {
    /** Writes this request's errors. If absent, the path decides their format. */
    errorForm?: ErrorForm
  }
}

export type Ctx = Context<Env>
