import { locale } from '../language/language.ts'
import { t } from '../language/words.ts'
import type { ShownState } from './words/message-states.ts'

export interface Usage {
  readonly period: string
  readonly used: number
  /** 0: unlimited. */
  readonly quota: number
  readonly remaining: number | null
  readonly resets_at: string
  /** The size of all files in bytes. `limit` 0 means no limit. */
  readonly files: { readonly bytes: number; readonly limit: number }
}

const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** A month such as `2026-11` in words. */
export const formatMonth = (period: string): string => month.format(new Date(`${period}-01`))

export interface UsageDay {
  readonly day: string
  readonly counts: Partial<Record<ShownState, number>>
}

/** A series of the usage chart, with the states of the messages that it counts. */
interface Kind {
  readonly id: 'done' | 'failed' | 'canceled' | 'waiting' | 'received'
  readonly words: string
  readonly states: readonly ShownState[]
}

export const KINDS: readonly Kind[] = [
  { id: 'done', words: t('Sent#messages'), states: ['sent', 'delivered'] },
  { id: 'waiting', words: t('Scheduled or waiting'), states: ['pending', 'assigned', 'sending'] },
  { id: 'failed', words: t('Failed#messages'), states: ['failed'] },
  { id: 'canceled', words: t('Canceled#messages'), states: ['canceled'] },
  { id: 'received', words: t('Received#messages'), states: ['received'] },
]

export const countKind = ({ counts }: UsageDay, { states }: Kind): number =>
  states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)

export const countAllKinds = (day: UsageDay): number =>
  KINDS.reduce((sum, kind) => sum + countKind(day, kind), 0)
