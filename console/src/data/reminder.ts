import { t, tn } from '../language/words.ts'

/** The source of a reminder's dates: a row of `GET /api/campaigns/reminder-sources`. */
export interface ReminderSource {
  readonly collection: string
  readonly name: string
  /** The fields with a date. */
  readonly dates: readonly string[]
  /** Fields that may have the number; the first one is the default. */
  readonly phones: readonly string[]
  /** Fields whose values a text may have, besides those of contacts. */
  readonly variables: readonly string[]
}

export const isOfContacts = ({ name }: Pick<ReminderSource, 'name'>): boolean => name === 'contacts'

/** The field `reminder` of a campaign. */
export interface Reminder {
  readonly collection: string
  readonly field: string
  readonly phone?: string
  readonly offset: { readonly days: number; readonly at?: string } | { readonly hours: number }
  readonly filter?: string
  readonly yearly?: boolean
  readonly has_time?: boolean
}

/** An offset as people say it: `2 days before at 18:00`. */
export function describeOffset({ offset, yearly }: Reminder): string {
  const when =
    'hours' in offset
      ? tn('1 hour before', '{count} hours before', offset.hours)
      : offset.days === 0
        ? t('on the day')
        : tn('1 day before', '{count} days before', offset.days)
  const at = 'days' in offset && offset.at ? t('{when} at {time}', { when, time: offset.at }) : when
  return yearly ? t('{when}, each year', { when: at }) : at
}
