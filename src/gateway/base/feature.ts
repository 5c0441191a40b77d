import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { MailServices } from '../../engine/auth/send-mail.ts'
import type { Backups } from '../../engine/backup/backups.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { CatalogStore } from '../../engine/collections/catalog-store.ts'
import type { Extension, Extensions } from '../../engine/records/collection-extension.ts'
import type { Route } from '../../http/make-routes.ts'
import type { Family } from '../../http/metrics/family.ts'
import type { DescribedRecords } from '../../http/openapi/document.ts'
import type { Api, Services } from '../../http/request-context.ts'
import type { Config } from '../../platform/config.ts'
import type { JobKind } from '../../platform/jobs/job-queue.ts'
import type { TimedJob } from '../../platform/jobs/timed-jobs.ts'
import type { PersonalData } from './personal-data.ts'

/** Services of timed jobs. Their store works for all accounts. */
export interface TimedServices extends MailServices {
  readonly store: Store
  readonly extensions: Extensions
  readonly config: Config
  readonly backups: Backups
  /** Aborts when the server begins to stop: long jobs then end. */
  readonly stopping: AbortSignal
}

/** Services of queued jobs, except those that one feature alone needs. */
export interface QueuedServices extends MailServices {
  readonly store: CatalogStore
  readonly config: Config
}

/** A part of the gateway, as `main/features` adds it to the server. `Own`: services that its routes need. */
export interface Feature<Own extends Services = Services, Queued = QueuedServices> {
  /** Its routes. A feature earlier in the list answers first. */
  readonly rows?: readonly Route<Own>[]
  /** How requests to the feature's roots are counted and refused; tags and webhooks for OpenAPI. */
  readonly api?: Api
  /** Descriptions for OpenAPI that no row can have: there is one for each collection. */
  readonly paths?: (records: DescribedRecords) => ZodOpenApiPathsObject
  /** The way exports and erasures of persons treat its tables. */
  readonly personalData?: PersonalData
  /** Code for the feature's own collections, by their ids. */
  readonly extensions?: (
    config: Pick<Config, 'webhookAllowPrivate'>,
  ) => Readonly<Record<string, Extension>>
  /** Deletions that follow the deletion of another feature's records, by the collection's id. */
  readonly alsoDeletes?: Readonly<Record<string, NonNullable<Extension['afterDelete']>>>
  readonly timed?: (services: TimedServices) => readonly TimedJob[]
  readonly queued?: (services: Queued) => readonly JobKind[]
  /** Metrics that are read from the database. */
  readonly metrics?: (source: {
    readonly store: Store
    readonly config: Config
  }) => readonly Family[]
}

/** How often a timed job runs, in minutes. `expression`: the same for people, as cron writes it. */
const makeSchedule = (minutes: number, expression: string) => ({
  expression,
  everyMs: minutes * 60_000,
})
export const EVERY_MINUTE = makeSchedule(1, '* * * * *')
export const EVERY_TEN_MINUTES = makeSchedule(10, '*/10 * * * *')
export const HOURLY = makeSchedule(60, '0 * * * *')
