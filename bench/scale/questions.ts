import { COMMON_WORD, DEVICE_NAME, RARE_WORD } from './fill.ts'

/** Who asks, and how many messages they have. */
export interface Asker {
  readonly token: string
  /** A number that some of their messages went to. */
  readonly number: string
  readonly messages: number
}

/** One question: a query of the list of messages. */
export interface Question {
  readonly name: string
  /** Undefined where the asker has too few messages. */
  query(asker: Asker): Record<string, string> | undefined
}

const DEEP_PAGE = 20_000
const PER_PAGE = 30
const NEWEST = { sort: '-created', perPage: String(PER_PAGE) }
const NO_TOTAL = { skipTotal: '1' }

const found = (
  name: string,
  filter: (asker: Asker) => string,
  rest: Record<string, string> = NO_TOTAL,
) => ({
  name,
  query: (asker: Asker) => ({ ...NEWEST, filter: filter(asker), ...rest }),
})

const page = (name: string, number: number, rest: Record<string, string>): Question => ({
  name,
  query: ({ messages }) =>
    messages > number * PER_PAGE ? { ...NEWEST, page: String(number), ...rest } : undefined,
})

/** Six digits in the middle of a number. */
const partOf = (number: string) => number.slice(5, 11)

/** What people ask of a large history. */
export const QUESTIONS: readonly Question[] = [
  { name: 'newest 30 with total', query: () => NEWEST },
  page('page 200', 200, {}),
  page('page 500', 500, {}),
  page(`page ${DEEP_PAGE}, no total`, DEEP_PAGE, NO_TOTAL),
  ...['delivered', 'sent', 'failed', 'received'].map((status) =>
    found(`status = ${status}, with total`, () => `status = "${status}"`, {}),
  ),
  found('to = one number', ({ number }) => `to = "${number}"`),
  found('to ~ part of a number', ({ number }) => `to ~ "${partOf(number)}"`),
  found('body ~ a rare word', () => `body ~ "${RARE_WORD}"`),
  found('body ~ a common word', () => `body ~ "${COMMON_WORD}"`),
  found('body ~ a common word, with total', () => `body ~ "${COMMON_WORD}"`, {}),
  found('body ~ no word at all', () => 'body ~ "zebrafish"'),
  found('created >= today', () => 'created >= @todayStart'),
  { name: 'sort by number', query: () => ({ ...NEWEST, ...NO_TOTAL, sort: 'to' }) },
  found('by device.name', () => `device.name = "${DEVICE_NAME}"`),
]
