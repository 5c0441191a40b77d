import { t } from '../../../language/words.ts'

/** What is wrong with a filter, in words for people, and where. */
export interface Problem {
  readonly start: number
  readonly end: number
  readonly message: string
  /** A warning: the filter is valid, but probably not what the user means. */
  readonly isDoubt?: boolean
  /** The fix: the button's label and the corrected filter. */
  readonly fix?: { readonly words: string; readonly filter: string }
}

/** `filter` with another text from `start` to `end`. */
export const replaced = (filter: string, start: number, end: number, by: string) =>
  filter.slice(0, start) + by + filter.slice(end)

/** A fix that writes `by` at a place, named by what it writes. */
export const write = (filter: string, start: number, end: number, by: string) => ({
  words: t('Write {sign}', { sign: by.trim() }),
  filter: replaced(filter, start, end, by),
})
