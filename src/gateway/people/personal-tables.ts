import type { Tables } from '../../platform/db/tables.ts'
import type { MentionStep, PersonalData, Place } from '../base/personal-data.ts'

/** The sum over all features. */
export type AllPersonalData = Required<Pick<PersonalData, 'places' | 'mentions'>>

/** Services of exports and erasures, beside the store. */
export interface HasPersonalData {
  readonly personalData: AllPersonalData
}

/**
 * The order in which an erasure empties the places of one phase: rows that are found by another table precede
 * it. Other tables follow, in the order of the features.
 */
const PLACE_ORDER: readonly (keyof Tables)[] = [
  'sms_events',
  'webhook_payloads',
  'webhook_headers',
  'webhook_deliveries',
  'sms_origins',
  'twilio_answers',
  '_jobs',
  'sms_dispatch',
  '_files',
  'sms_messages',
  'hook_calls',
  'campaigns',
  'campaign_recipients',
  '_verify_codes',
  'verifications',
  'auto_answers_sent',
  'line_recipients',
  'hooks',
  'webhooks',
  'conversation_drafts',
  'conversation_notes',
  'conversations',
  'consent_states',
  'consents',
  'contacts',
  'sms_idempotency',
  'person_requests',
]

/** The order in which an export shows the places: what people look for first. Other tables follow. */
const READING_ORDER: readonly (keyof Tables)[] = [
  'contacts',
  'sms_messages',
  '_files',
  'consent_states',
  'consents',
  'conversations',
  'conversation_notes',
  'conversation_drafts',
  'campaigns',
  'campaign_recipients',
  'auto_answers_sent',
  'verifications',
  'hooks',
  'hook_calls',
  'webhooks',
  'webhook_deliveries',
  'webhook_payloads',
  'person_requests',
  'sms_dispatch',
  'sms_origins',
  'sms_events',
]

/**
 * The order of mentions, by the table of a step: an erasure that was interrupted continues at an index.
 */
const MENTION_ORDER: readonly (keyof Tables)[] = [
  'sms_messages',
  'sms_events',
  'webhook_deliveries',
  'contacts',
  'contact_groups',
  'conversations',
  'conversation_notes',
  'conversation_drafts',
  'campaigns',
  'person_requests',
  'senders',
  'api_keys',
  'auto_answers',
  'hooks',
  'sms_templates',
  '_jobs',
  'device_carriers',
]

/** Tables that an order does not have follow. */
const findRank = (order: readonly (keyof Tables)[], table: keyof Tables) =>
  order.includes(table) ? order.indexOf(table) : order.length

const rankStep = ({ paged, mentions }: MentionStep) =>
  findRank(MENTION_ORDER, paged ?? mentions[0]!.table)

export const sumPersonalData = (all: readonly PersonalData[]): AllPersonalData => ({
  places: all
    .flatMap(({ places = [] }) => places)
    .toSorted((a, b) => findRank(PLACE_ORDER, a.table) - findRank(PLACE_ORDER, b.table)),
  mentions: all
    .flatMap(({ mentions = [] }) => mentions)
    .toSorted((a, b) => rankStep(a) - rankStep(b)),
})

export const sortForReaders = (places: readonly Place[]): Place[] =>
  places.toSorted((a, b) => findRank(READING_ORDER, a.table) - findRank(READING_ORDER, b.table))
