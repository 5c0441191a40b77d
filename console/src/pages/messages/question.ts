import { pb } from '../../data/client.ts'
import { type Named, writeTextFilter } from '../../data/search/filters.ts'
import {
  CANCELED_FILTER,
  FAILED_FILTER,
  writeStateFilter,
} from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'

export interface Question {
  /** As typed into the filter bar. */
  readonly filter: string
  readonly state: StateKey
  /** Words to look for in texts, numbers and names. */
  readonly words: string
  /** `from`, `until`: the first and last day, as `2026-11-30` in the browser's time zone; '' for no limit. */
  readonly from: string
  readonly until: string
  /** A device's id; '' for all. */
  readonly device: string
  /** The sender's id: a person, an API key, an automatic answer; '' for all. */
  readonly sender: string
  readonly sort: string
  readonly page: number
}

export const STATES = [
  ['', t('All#messages'), ''],
  ['scheduled', t('Scheduled#messages'), writeStateFilter('pending')],
  ['waiting', t('Waiting'), `${writeStateFilter('assigned')} || status = "sending"`],
  ['sent', t('Sent#messages'), 'status = "sent"'],
  ['delivered', t('Delivered#messages'), 'status = "delivered"'],
  ['failed', t('Failed#messages'), FAILED_FILTER],
  ['canceled', t('Canceled#messages'), CANCELED_FILTER],
  ['received', t('Received#messages'), 'status = "received"'],
] as const
/** A state's name in the page's URL; '' for all. */
export type StateKey = (typeof STATES)[number][0]

export const NEWEST_FIRST = '-created'

export function readQuestion(query: URLSearchParams): Question {
  const state = STATES.find(([key]) => key === query.get('state'))?.[0] ?? ''
  return {
    filter: query.get('filter') ?? '',
    state,
    words: query.get('words') ?? '',
    from: readDay(query.get('from')),
    until: readDay(query.get('until')),
    device: query.get('device') ?? '',
    sender: query.get('sender') ?? '',
    sort: query.get('sort') || NEWEST_FIRST,
    page: Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1),
  }
}

export const makeQuery = (question: Question): Record<string, string> => {
  const { sort, page, ...others } = question
  return {
    ...others,
    sort: sort === NEWEST_FIRST ? '' : sort,
    page: page > 1 ? String(page) : '',
  }
}

const readDay = (text: string | null) => (/^\d{4}-\d\d-\d\d$/.test(text ?? '') ? text! : '')

/**
 * The whole filter for the server. Numbers without a country code belong to `country`.
 * `named`: contacts with words of the search in their names.
 */
export function writeWholeFilter(
  { filter, state, words, from, until, device, sender }: Question,
  country: string,
  named: readonly Named[] = [],
): string {
  const quick = STATES.find(([key]) => key === state)?.[2] ?? ''
  const parts = [
    filter.trim(),
    quick,
    words.trim() && writeTextFilter(words, country, named),
    from && pb.filter('created >= {:start}', { start: startOfDay(from) }),
    until && pb.filter('created < {:end}', { end: startOfDay(until, 1) }),
    device && pb.filter('device = {:device}', { device }),
    sender && pb.filter('sent_by = {:sender}', { sender }),
  ].filter((part) => part !== '')
  return parts.length === 1 ? parts[0]! : parts.map((part) => `(${part}\n)`).join(' && ')
}

/** The start of the day that is `later` days after `day`, in the browser's time zone. */
function startOfDay(day: string, later = 0): Date {
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + later)
  return start
}
