import { parse } from '../../../../../grammar/filter.peggy'

/** Where the server's grammar stops to understand a filter; undefined if it understands all of it. */
export function faultAt(filter: string): number | undefined {
  if (filter.trim() === '') return undefined
  try {
    parse(filter)
    return undefined
  } catch (error) {
    return (error as { location?: { start: { offset: number } } }).location?.start.offset ?? filter.length
  }
}
