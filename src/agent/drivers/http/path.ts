import { valueAt } from '../../../templates/value-at.ts'
import type { Condition } from './preset.ts'

/** The text, number or boolean at a path, as text; '' for anything else. */
export function textAt(from: unknown, path: string | undefined): string {
  const value = path === undefined ? '' : valueAt(from, path.split('.'))
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
}

export const matches = (from: unknown, condition: Condition): boolean =>
  Object.entries(condition).every(([path, values]) => values.includes(textAt(from, path)))

/** The texts at the paths that have one, separated by spaces. */
export const textsAt = (from: unknown, paths: readonly string[]): string =>
  paths
    .map((path) => textAt(from, path))
    .filter(Boolean)
    .join(' ')
