import type { Predicate } from '../../src/engine/filter/compiled-filter.ts'

/** `column sign $1`, where `index` is the place of the parameter from 0. */
export const compare = (column: string, sign = '=', index = 0, cast = 'text'): Predicate => ({
  kind: 'comparison',
  column,
  sign,
  value: { index, cast },
})
export const all = (...items: Predicate[]): Predicate => ({ kind: 'and', items })
export const any = (...items: Predicate[]): Predicate => ({ kind: 'or', items })
export const OPAQUE: Predicate = { kind: 'opaque' }
