import type { Store } from '../engine/collections/catalog.ts'
import type { Extension, Extensions } from '../engine/records/collection-extension.ts'
import { ACCOUNTS } from '../gateway/accounts/accounts-feature.ts'
import { ALARMS } from '../gateway/alarms/alarms-feature.ts'
import { completeList } from '../gateway/base/complete-numbers.ts'
import type { Feature, QueuedServices, TimedServices } from '../gateway/base/feature.ts'
import { CAMPAIGNS } from '../gateway/campaigns/campaigns-feature.ts'
import { CARRIERS } from '../gateway/carriers/carriers-feature.ts'
import { CODES } from '../gateway/codes/codes-feature.ts'
import { CONSENT } from '../gateway/consent/consent-feature.ts'
import { CONVERSATIONS } from '../gateway/conversations/conversations-feature.ts'
import { DEVICE_API } from '../gateway/device-api/device-api-feature.ts'
import { DIRECTORY_ROLES } from '../gateway/directory-roles/directory-roles-feature.ts'
import { HOOKS } from '../gateway/hooks/hooks-feature.ts'
import { LABELS } from '../gateway/labels/labels-feature.ts'
import { LINES } from '../gateway/lines/lines-feature.ts'
import { MESSAGES } from '../gateway/messages/messages-feature.ts'
import type { Sending } from '../gateway/messages/send/make-user-sending.ts'
import { NOTIFICATIONS } from '../gateway/notifications/notifications-feature.ts'
import { PEOPLE } from '../gateway/people/people-feature.ts'
import { type HasPersonalData, sumPersonalData } from '../gateway/people/personal-tables.ts'
import { RETENTION } from '../gateway/retention/retention-feature.ts'
import { SHARED_FILES } from '../gateway/shared-files/shared-files-feature.ts'
import { SMSGATE_APP } from '../gateway/smsgate-app/smsgate-app-feature.ts'
import type { FitWebhook } from '../gateway/webhooks/webhook-extensions.ts'
import { makeWebhooks } from '../gateway/webhooks/webhooks-feature.ts'
import { describeRoutes } from '../http/make-routes.ts'
import type { Family } from '../http/metrics/family.ts'
import type { DescribedRecords } from '../http/openapi/document.ts'
import type { Api } from '../http/request-context.ts'
import type { Config } from '../platform/config.ts'
import type { JobKind } from '../platform/jobs/job-queue.ts'
import type { TimedJob } from '../platform/jobs/timed-jobs.ts'
import { readSenderFilter } from '../portable/phone/number-patterns.ts'
import type { GatewayServices } from '../protocols/gateway-services.ts'
import { PROTOCOLS } from '../protocols/protocols.ts'
import { SMSGATE_STATE } from '../protocols/smsgate-api/smsgate-api-feature.ts'
import { fitSmsgateWebhook } from '../protocols/smsgate-api/webhooks.ts'
import { fitTwilioWebhook } from '../protocols/twilio/fit-webhook.ts'
import { TWILIO_STATE } from '../protocols/twilio/twilio-feature.ts'
import { RECORDS, SERVER } from './pocketbase-features.ts'

/** Completes the senders' numbers that a webhook's filter names. */
const completeFilter: FitWebhook = (store, values) =>
  completeList(store, values, 'numbers', readSenderFilter)

interface WithSending extends QueuedServices, HasPersonalData {
  readonly sending: Sending
}

/** All features. An earlier one answers a request first. */
export const FEATURES: readonly Feature<GatewayServices, WithSending>[] = [
  MESSAGES,
  CODES,
  CAMPAIGNS,
  DEVICE_API,
  SMSGATE_APP,
  RECORDS,
  makeWebhooks([fitSmsgateWebhook, fitTwilioWebhook, completeFilter]),
  HOOKS,
  PEOPLE,
  CARRIERS,
  ACCOUNTS,
  DIRECTORY_ROLES,
  SERVER,
  CONSENT,
  SHARED_FILES,
  LINES,
  CONVERSATIONS,
  LABELS,
  RETENTION,
  NOTIFICATIONS,
  ALARMS,
  TWILIO_STATE,
  SMSGATE_STATE,
]

/** Our own APIs and those of other products. */
export const APIS: readonly Api[] = [...FEATURES.flatMap(({ api = [] }) => api), ...PROTOCOLS]

/** Code that features add to their collections, by collection id. */
export function collectExtensions(config: Pick<Config, 'webhookAllowPrivate'>): Extensions {
  const all = new Map<string, Extension>()
  for (const { extensions } of FEATURES)
    for (const [id, extension] of Object.entries(extensions?.(config) ?? {}))
      all.set(id, { ...all.get(id), ...extension })
  for (const { alsoDeletes = {} } of FEATURES)
    for (const [id, afterDelete] of Object.entries(alsoDeletes))
      all.set(id, addAfterDelete(all.get(id), afterDelete))
  return all
}

const addAfterDelete = (
  extension: Extension | undefined,
  also: NonNullable<Extension['afterDelete']>,
): Extension => ({
  ...extension,
  async afterDelete(store, ids) {
    await extension?.afterDelete?.(store, ids)
    await also(store, ids)
  },
})

/** The places with data of persons in the tables of all features. */
export const PERSONAL_DATA = sumPersonalData(
  FEATURES.flatMap(({ personalData = [] }) => personalData),
)

export const collectTimedJobs = (services: TimedServices): TimedJob[] =>
  FEATURES.flatMap(({ timed }) => timed?.(services) ?? [])

/** The kinds of queued jobs. A job's database work is charged to its user. */
export const collectJobKinds = (services: WithSending): JobKind[] =>
  FEATURES.flatMap(({ queued }) => queued?.(services) ?? [])

/** Metrics that are read from the database. */
export const listSharedFamilies = (source: {
  readonly store: Store
  readonly config: Config
}): Family[] => FEATURES.flatMap(({ metrics }) => metrics?.(source) ?? [])

export const describePaths = (records: DescribedRecords) =>
  Object.assign(
    {},
    ...FEATURES.map(({ paths, rows = [] }) => ({
      ...paths?.(records),
      ...describeRoutes(rows, records),
    })),
  )
