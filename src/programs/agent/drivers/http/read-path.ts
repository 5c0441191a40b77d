import { findValueAt } from '../../../../platform/templates/find-value-at.ts'
import type { AnswerCondition } from './preset.ts'

/** The value at a path. Texts stay texts: a stranger's words may look like JSON. */
export const readValueAt = (from: unknown, path: string): unknown =>
  findValueAt(from, path.split('.'), (value) => value)

/** The text, number or boolean at a path, as text; '' for anything else. */
export function readTextAt(from: unknown, path: string | undefined): string {
  const value = path === undefined ? '' : readValueAt(from, path)
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
}

/** Whether a carrier's word is among those of a preset, which are in lower case. */
export const isAmongValues = (words: readonly string[], word: string): boolean =>
  words.includes(word.toLowerCase())

export const matchesCondition = (from: unknown, condition: AnswerCondition): boolean =>
  Object.entries(condition).every(([path, values]) => isAmongValues(values, readTextAt(from, path)))

/** The texts at the paths that have one, separated by spaces. */
export const readTextsAt = (from: unknown, paths: readonly string[]): string =>
  paths
    .map((path) => readTextAt(from, path))
    .filter(Boolean)
    .join(' ')
