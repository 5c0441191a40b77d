import { z } from 'zod'
import {
  makeRequiredIdSchema,
  makeRequiredTextSchema,
  makeTextSchema,
  makeWholeNumber,
} from '../base/body-schemas.ts'

const MAX_DAYS = 300
const MAX_HOURS = 720

const OFFSET = z
  .strictObject({
    days: makeWholeNumber(0, MAX_DAYS).nullish().describe('So many days of the calendar before.'),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 18:00')
      .nullish()
      .describe(
        'With `days`: the time of day, such as `18:00`. Left out, that of the date, which must then have a time.',
      ),
    hours: makeWholeNumber(1, MAX_HOURS)
      .nullish()
      .describe('So many hours before, instead of `days`. The date must have a time.'),
  })
  .refine(
    ({ days, at, hours }) => (days == null) !== (hours == null) && (at == null || days != null),
    'must have days, with or without at, or hours',
  )

export const REMINDER = z
  .strictObject({
    collection: makeRequiredIdSchema().describe(
      '`contacts`, or the name or id of a collection that a superuser made.',
    ),
    field: makeRequiredTextSchema(255).describe(
      'Its field with the date; of contacts, a field of `contact_fields` of the type `date`.',
    ),
    phone: makeTextSchema(255)
      .nullish()
      .describe(
        'The field with the number, or the relation to a contact. Left out: the first of `GET /api/campaigns/reminder-sources`.',
      ),
    offset: OFFSET.describe(
      'How long before the date the text leaves, by the time of the account.',
    ),
    filter: makeTextSchema(1_000)
      .nullish()
      .describe("Only for the records that match this filter of PocketBase's."),
    yearly: z
      .boolean()
      .nullish()
      .describe('The day and month of the date, each year; 28 February for the 29th.'),
    has_time: z
      .boolean()
      .nullish()
      .describe(
        'Whether the dates have a time, else they are whole days. Left out: yes if one of the latest records has another time than 00:00 UTC, or there are none.',
      ),
  })
  .meta({ id: 'CampaignReminder' })
export type WantedReminder = z.output<typeof REMINDER>

/** A stored reminder. */
export interface Reminder {
  /** The id of the collection. */
  readonly collection: string
  readonly field: string
  /** '' for contacts. */
  readonly phone: string
  readonly offset:
    | { readonly days: number /** '': as the date. */; readonly at: string }
    | { readonly hours: number }
  readonly filter: string
  readonly yearly: boolean
  readonly has_time: boolean
}

export const readOffset = ({ days, at, hours }: WantedReminder['offset']): Reminder['offset'] =>
  hours == null ? { days: days!, at: at ?? '' } : { hours }
